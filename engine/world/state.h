// State: everything that survives a step. Particles are columns; a column is a structure of arrays in one buffer.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "math/vec.h"
#include "spatial/order.h"
#include "world/rigid_body.h"

namespace knead {

enum class ScalarType : std::uint8_t { f32, f64, u16, u32 };
std::size_t size_of(ScalarType type);
template <class T> constexpr ScalarType scalar_type_of();
template <> constexpr ScalarType scalar_type_of<float>() { return ScalarType::f32; }
template <> constexpr ScalarType scalar_type_of<double>() { return ScalarType::f64; }
template <> constexpr ScalarType scalar_type_of<std::uint16_t>() { return ScalarType::u16; }
template <> constexpr ScalarType scalar_type_of<std::uint32_t>() { return ScalarType::u32; }

// Memory for one component of a column. Slots of one buffer are laid out together; the buffer lives as long as one of them is used.
struct Slot {
  std::shared_ptr<std::byte[]> buffer;
  std::byte* data = nullptr;
  std::size_t size = 0;  // [bytes], without the slack for reading past the end
};

// One attribute of all particles: component c of particle i is data<T>(c)[i]. Reading a little past the end (64 bytes) is safe.
class Column {
 public:
  Column(std::string name, ScalarType type, int components);
  const std::string& name() const { return name_; }
  ScalarType type() const { return type_; }
  int components() const { return components_; }
  std::size_t capacity() const { return capacity_; }
  void reserve(std::size_t capacity, std::size_t used);  // keeps the first `used` particles

  template <class T> T* data(int component = 0) { return reinterpret_cast<T*>(bytes(component)); }
  template <class T> const T* data(int component = 0) const { return reinterpret_cast<const T*>(bytes(component)); }
  std::byte* bytes(int component) { return slots_[static_cast<std::size_t>(component)].data; }
  const std::byte* bytes(int component) const { return slots_[static_cast<std::size_t>(component)].data; }
  void permute(const std::vector<std::uint32_t>& from, Slot& spare);  // particle i becomes what from[i] was; slots change places
  double value(int component, std::size_t particle) const;            // any type, as double: for output and tests, not for hot loops
  void set_value(int component, std::size_t particle, double value);

 private:
  std::string name_;
  ScalarType type_;
  int components_;
  std::size_t capacity_ = 0;
  std::vector<Slot> slots_;  // per component
};

struct EmitterState {
  double carry = 0;           // volume that is due but not yet emitted [m^3]
  std::uint64_t emitted = 0;  // particles so far
  double last_time = -1;      // up to which the fill has been advanced [s]; < 0: not started
};

// What the last step measured, for the choice of the next dt.
struct StepMeasure {
  bool valid = false;
  std::vector<double> wave_speed;  // fastest wave per body [m/s]
  std::vector<double> speed;       // fastest particle per body [m/s]
};

struct State {
  double time = 0;
  std::uint64_t step = 0;
  std::size_t count = 0;  // particles
  std::uint32_t next_id = 0;
  std::vector<Column> columns;
  Order order;
  StepMeasure measure;
  std::vector<EmitterState> emitters;
  double external_work = 0;           // by colliders, pins, fields and emitted particles [J]
  double initial_energy = 0;          // total at time 0 [J]
  double affine_inertia = 0;          // second moment of mass per mass that column C carries: dx^2/4 of quadratic splines [m^2]
  std::vector<Vec3d> collider_force;  // on each collider, then on each rigid body, in the last step [N]
  std::vector<RigidState> rigid;      // of World::rigid_bodies

  Column* find(std::string_view name);
  const Column* find(std::string_view name) const;
  Column& column(std::string_view name);  // asserts that it is there
  const Column& column(std::string_view name) const;
  Column& add(const std::string& name, ScalarType type, int components);  // zero-filled; the existing one if there
  void resize(std::size_t count);                                         // new particles are zero
  void permute(const std::vector<std::uint32_t>& from);  // particle i becomes what from[i] was; count becomes the size of `from`

 private:
  Slot spare_;  // for permuting; what it holds does not matter
};

// Columns of every particle solver: position (3), velocity (3), volume (1, at rest), id (u32), group (u16).
// MPM adds, where a material needs them: C (9), F (9, solids), J (1, fluids), F_N (9, viscoelastic branch), b (6, flowing branch of the
// generalized material), plastic_strain (1), plastic_volume (1).

}  // namespace knead
