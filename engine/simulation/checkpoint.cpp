#include "simulation/checkpoint.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "frames/aside_file.h"
#include "simulation/bytes.h"
#include "simulation/files.h"

// File: magic, then sections, each { raw size, packed size, hash of the packed bytes seeded with the two sizes, packed bytes }.
// Section 0 is the head (scalars, lists, the names of the columns), 1 and 2 are Order::blocks and Order::runs, then follows one
// section per component of each column. All numbers little-endian as in memory.

namespace knead {

namespace fs = std::filesystem;

namespace {

constexpr char magic[8] = {'k', 'n', 'e', 'a', 'd', 'c', 'k', '1'};
constexpr int compression_level = 1;
constexpr std::size_t largest_head = std::size_t(1) << 30;

struct SectionHead {
  std::uint64_t raw = 0, packed = 0, hash = 0;
};

std::uint64_t section_hash(const SectionHead& head, std::string_view packed) {
  return mix_bits(hash_bytes(packed) ^ mix_bits(head.raw) ^ (mix_bits(head.packed) << 1));
}

std::string pack(const void* data, std::size_t bytes) {
  std::string packed(sizeof(SectionHead) + ZSTD_compressBound(bytes), '\0');
  char* const body = packed.data() + sizeof(SectionHead);
  const std::size_t size = ZSTD_compress(body, packed.size() - sizeof(SectionHead), data, bytes, compression_level);
  if (ZSTD_isError(size)) throw SimulationError(std::string("Cannot compress a checkpoint: ") + ZSTD_getErrorName(size) + ".");
  SectionHead head{bytes, size, 0};
  head.hash = section_hash(head, {body, size});
  std::memcpy(packed.data(), &head, sizeof head);
  packed.resize(sizeof(SectionHead) + size);
  return packed;
}

struct ColumnHead {
  std::string name;
  ScalarType type = ScalarType::f32;
  int components = 1;
};

struct Head {
  CheckpointOwner owner;
  State state;  // without columns, blocks and runs
  std::uint64_t blocks = 0, runs = 0;
  std::vector<ColumnHead> columns;
  std::vector<Probe> probes;  // without kind and region
  LoopState loop;
};

void put_head(ByteWriter& out, const CheckpointOwner& owner, const State& state, const std::vector<Probe>& probes, const LoopState& loop) {
  out.text(owner.version);
  out.put(owner.scene);
  out.put(state.time), out.put(state.step), out.put<std::uint64_t>(state.count), out.put(state.next_id);
  out.put(state.external_work), out.put(state.initial_energy), out.put(state.affine_inertia);
  out.list(state.collider_force);
  out.list(state.rigid);
  out.list(state.emitters);
  out.put(state.measure.valid), out.list(state.measure.wave_speed), out.list(state.measure.speed);
  out.put(state.order.valid);
  out.put<std::uint64_t>(state.order.blocks.size()), out.put<std::uint64_t>(state.order.runs.size());
  out.put<std::uint64_t>(state.columns.size());
  for (const Column& column : state.columns) out.text(column.name()), out.put(column.type()), out.put(column.components());
  out.put<std::uint64_t>(probes.size());
  for (const Probe& probe : probes)
    out.put(probe.body), out.put(probe.rigid), out.put(probe.collider), out.put(probe.particle), out.put(probe.low), out.put(probe.high);
  out.put(loop.next_frame), out.put(loop.steps_in_frame), out.put(loop.particle_steps), out.put(loop.retries), out.put(loop.wall_seconds);
  out.put<std::uint64_t>(loop.files.size());
  for (const auto& [name, size] : loop.files) out.text(name), out.put(size);
}

bool get_head(ByteReader& in, Head& head) {
  State& state = head.state;
  std::uint64_t count = 0, columns = 0, probes = 0, files = 0;
  in.text(head.owner.version), in.get(head.owner.scene);
  in.get(state.time), in.get(state.step), in.get(count), in.get(state.next_id);
  in.get(state.external_work), in.get(state.initial_energy), in.get(state.affine_inertia);
  in.list(state.collider_force), in.list(state.rigid), in.list(state.emitters);
  in.get(state.measure.valid), in.list(state.measure.wave_speed), in.list(state.measure.speed);
  in.get(state.order.valid), in.get(head.blocks), in.get(head.runs);
  state.count = count;
  in.get(columns);
  for (std::uint64_t n = 0; n < columns && in.good(); ++n) {
    ColumnHead column;
    in.text(column.name), in.get(column.type), in.get(column.components);
    head.columns.push_back(std::move(column));
  }
  in.get(probes);
  for (std::uint64_t n = 0; n < probes && in.good(); ++n) {
    Probe probe;
    in.get(probe.body), in.get(probe.rigid), in.get(probe.collider), in.get(probe.particle), in.get(probe.low), in.get(probe.high);
    head.probes.push_back(std::move(probe));
  }
  LoopState& loop = head.loop;
  in.get(loop.next_frame), in.get(loop.steps_in_frame), in.get(loop.particle_steps), in.get(loop.retries), in.get(loop.wall_seconds);
  in.get(files);
  for (std::uint64_t n = 0; n < files && in.good(); ++n) {
    std::pair<std::string, std::uint64_t> file;
    in.text(file.first), in.get(file.second);
    loop.files.push_back(std::move(file));
  }
  return in.good() && in.at_end();
}

// Walks the sections of a file in memory; every view is checked before it is believed.
class SectionReader {
 public:
  explicit SectionReader(std::string_view bytes) : rest_(bytes) {
    good_ = rest_.size() >= sizeof magic && std::memcmp(rest_.data(), magic, sizeof magic) == 0;
    if (good_) rest_.remove_prefix(sizeof magic);
  }
  bool next(SectionHead& head, std::string_view& packed) {
    if (!good_ || rest_.size() < sizeof head) return good_ = false;
    std::memcpy(&head, rest_.data(), sizeof head);
    rest_.remove_prefix(sizeof head);
    if (head.packed > rest_.size()) return good_ = false;
    packed = rest_.substr(0, head.packed);
    rest_.remove_prefix(head.packed);
    return true;
  }
  bool at_end() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = false;
};

bool unpack(const SectionHead& head, std::string_view packed, void* target, std::size_t bytes) {
  if (head.raw != bytes || head.hash != section_hash(head, packed)) return false;
  return ZSTD_decompress(target, bytes, packed.data(), packed.size()) == bytes;
}

bool read_head(SectionReader& sections, Head& head) {
  SectionHead section;
  std::string_view packed;
  if (!sections.next(section, packed) || section.raw > largest_head || section.hash != section_hash(section, packed)) return false;
  std::string bytes(section.raw, '\0');
  if (!unpack(section, packed, bytes.data(), bytes.size())) return false;
  ByteReader in(bytes);
  return get_head(in, head);
}

template <class T> bool read_list(SectionReader& sections, std::uint64_t count, std::vector<T>& list) {
  SectionHead section;
  std::string_view packed;
  if (!sections.next(section, packed) || section.raw != count * sizeof(T) || section.hash != section_hash(section, packed)) return false;
  list.resize(count);
  return unpack(section, packed, list.data(), count * sizeof(T));
}

bool read_columns(SectionReader& sections, const Head& head, State& state) {
  struct Job {
    SectionHead section;
    std::string_view packed;
    std::byte* target;
    std::size_t bytes;
  };
  std::vector<Job> jobs;
  for (const ColumnHead& column : head.columns) state.add(column.name, column.type, column.components);
  state.resize(head.state.count);
  for (Column& column : state.columns)
    for (int component = 0; component < column.components(); ++component) {
      Job job{{}, {}, column.bytes(component), state.count * size_of(column.type())};
      if (!sections.next(job.section, job.packed)) return false;
      jobs.push_back(job);
    }
  if (!sections.at_end()) return false;
  std::vector<char> good(jobs.size(), 0);
  parallel_for(jobs.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) good[n] = unpack(jobs[n].section, jobs[n].packed, jobs[n].target, jobs[n].bytes);
  });
  return std::all_of(good.begin(), good.end(), [](char value) { return value != 0; });
}

std::vector<fs::path> checkpoints_newest_first(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder / "checkpoints", code))
    if (entry.path().extension() == ".kck") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end(), std::greater<>());
  return paths;
}

// Both are refused with the same advice: a resumed run would not be the run of either.
void check_owner(const fs::path& path, const CheckpointOwner& found, const CheckpointOwner& owner) {
  if (found.version != owner.version)
    throw InputError("Cannot resume from " + path.string() + ": it was written by knead " + found.version + ", this is " + owner.version +
                     "; run without --resume.");
  if (found.scene != owner.scene)
    throw InputError("Cannot resume from " + path.string() + ": the scene has changed since it was written; run without --resume.");
}

}  // namespace

std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = mix_bits(bytes.size()), word = 0;
  std::size_t position = 0;
  for (; position + 8 <= bytes.size(); position += 8) {
    std::memcpy(&word, bytes.data() + position, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  }
  word = 0;
  if (position < bytes.size()) std::memcpy(&word, bytes.data() + position, bytes.size() - position);
  return mix_bits(hash ^ word);
}

fs::path checkpoint_path(const fs::path& folder, std::uint64_t step) {
  char name[64];
  std::snprintf(name, sizeof name, "checkpoint_%012llu.kck", static_cast<unsigned long long>(step));
  return folder / "checkpoints" / name;
}

fs::path write_checkpoint(const fs::path& folder, const CheckpointOwner& owner, const State& state, const std::vector<Probe>& probes,
                          const LoopState& loop) {
  struct Job {
    const void* data;
    std::size_t bytes;
  };
  ByteWriter head;
  put_head(head, owner, state, probes, loop);
  std::vector<Job> jobs{{head.bytes().data(), head.bytes().size()},
                        {state.order.blocks.data(), state.order.blocks.size() * sizeof(state.order.blocks[0])},
                        {state.order.runs.data(), state.order.runs.size() * sizeof(Run)}};
  for (const Column& column : state.columns)
    for (int component = 0; component < column.components(); ++component)
      jobs.push_back({column.bytes(component), state.count * size_of(column.type())});
  const fs::path path = checkpoint_path(folder, state.step);
  AsideFile file(path.string());
  file.write(magic, sizeof magic);
  std::vector<std::string> packed(std::min<std::size_t>(4, jobs.size()));  // a few at a time: the memory stays small beside State's
  for (std::size_t done = 0; done < jobs.size(); done += packed.size()) {
    const std::size_t count = std::min(packed.size(), jobs.size() - done);
    parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = begin; n < end; ++n) packed[n] = pack(jobs[done + n].data, jobs[done + n].bytes);
    });
    for (std::size_t n = 0; n < count; ++n) file.write(packed[n].data(), packed[n].size());
  }
  file.commit();
  const std::vector<fs::path> all = checkpoints_newest_first(folder);
  std::error_code code;
  for (std::size_t n = 2; n < all.size(); ++n) fs::remove(all[n], code);
  return path;
}

CheckpointRead read_checkpoint(const fs::path& path, const CheckpointOwner& owner, State& state, std::vector<Probe>& probes,
                               LoopState& loop) {
  std::string bytes;
  if (!read_whole(path, bytes)) return CheckpointRead::absent;
  SectionReader sections(bytes);
  Head head;
  if (!read_head(sections, head)) return CheckpointRead::damaged;
  check_owner(path, head.owner, owner);
  State& loaded = head.state;
  if (head.probes.size() != probes.size() || !read_list(sections, head.blocks, loaded.order.blocks) ||
      !read_list(sections, head.runs, loaded.order.runs) || !read_columns(sections, head, loaded))
    return CheckpointRead::damaged;
  for (std::size_t n = 0; n < probes.size(); ++n) {
    head.probes[n].kind = std::move(probes[n].kind);
    head.probes[n].region = std::move(probes[n].region);
  }
  state = std::move(loaded);
  probes = std::move(head.probes);
  loop = std::move(head.loop);
  return CheckpointRead::good;
}

CheckpointRead read_last_checkpoint(const fs::path& folder, const CheckpointOwner& owner, State& state, std::vector<Probe>& probes,
                                    LoopState& loop, std::vector<std::string>& notes) {
  for (const fs::path& path : checkpoints_newest_first(folder)) {
    if (read_checkpoint(path, owner, state, probes, loop) == CheckpointRead::good) return CheckpointRead::good;
    notes.push_back("The checkpoint " + path.string() + " is damaged and was passed over.");
  }
  return CheckpointRead::absent;
}

}  // namespace knead
