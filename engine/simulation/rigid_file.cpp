#include "simulation/rigid_file.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "simulation/csv_table.h"

namespace knead {

namespace {

constexpr std::array<const char*, 7> pose_columns{"x", "y", "z", "qw", "qx", "qy", "qz"};

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

void RigidFile::resume(std::uint64_t bytes) {
  if (bytes > 0) file_ = CsvFile::resume(path_, bytes);
}

void RigidFile::add(const World& world, const State& state, int frame) {
  if (state.rigid.empty()) return;
  if (!file_) file_ = CsvFile::create(path_, "frame,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  for (std::size_t n = 0; n < state.rigid.size(); ++n) {
    const RigidState& body = state.rigid[n];
    const Vec3d &x = body.position, &v = body.velocity, &w = body.angular_velocity;
    const Quaternion& q = body.orientation;
    char text[48];
    std::string row = std::to_string(frame);
    std::snprintf(text, sizeof text, ",%.9g,%zu,", state.time, n);
    row += text + quoted(world.rigid_bodies[n].name);
    for (const double value : {x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z}) {
      std::snprintf(text, sizeof text, ",%.9g", value);
      row += text;
    }
    file_->add_row(row);
  }
}

void RigidFile::flush() {
  if (file_) file_->flush();
}

std::vector<std::vector<Pose>> read_rigid_poses(const std::filesystem::path& folder, std::size_t bodies) {
  std::vector<std::vector<Pose>> poses(bodies);
  std::string text;
  if (bodies == 0 || !read_whole(folder / rigid_file_name, text)) return poses;
  const CsvTable table = read_csv(text);
  const CsvColumn *frame = table.find("frame"), *body = table.find("body");
  std::array<const CsvColumn*, 7> columns{};
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = table.find(pose_columns[c]);
  if (!frame || !body || std::find(columns.begin(), columns.end(), nullptr) != columns.end()) return poses;
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::array<double, 7> value{};
    for (std::size_t c = 0; c < 7; ++c) value[c] = columns[c]->numbers[row];
    const double of = body->numbers[row];
    if (!(of >= 0 && of < static_cast<double>(bodies))) continue;
    std::vector<Pose>& list = poses[static_cast<std::size_t>(of)];
    if (frame->numbers[row] != static_cast<double>(list.size())) continue;  // damaged, or after a gap
    const Vec3d center{value[0], value[1], value[2]}, start = list.empty() ? center : list.front().pivot;
    list.push_back({rotation_matrix({value[3], value[4], value[5], value[6]}), center - start, start});
  }
  return poses;
}

Pose pose_at_frame(const std::vector<Pose>& poses, int frame) {
  if (poses.empty()) return {};
  return poses[std::min(static_cast<std::size_t>(std::max(frame, 0)), poses.size() - 1)];
}

}  // namespace knead
