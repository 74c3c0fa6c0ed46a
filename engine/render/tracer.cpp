#include "render/tracer.h"

#include <embree3/rtcore.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "base/threads.h"
#include "render/shape_tracing.h"

namespace knead {
namespace {

Vec3f to_float(const Vec3d& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }
Vec3d to_double(const Vec3f& v) { return {v.x, v.y, v.z}; }
bool is_clear(const Finish& finish) { return finish.surface == Surface::liquid || finish.surface == Surface::glass; }

// What a geometry of Embree stands for.
struct Part {
  const Balls* balls = nullptr;
  const MeshSurface* mesh = nullptr;
  const ShapeSurface* shape = nullptr;
  const Finish* finish = nullptr;
  std::unique_ptr<DensityGrid> grid;
  int object = 0;
};

struct Layer {
  RTCScene scene = nullptr;
  std::vector<Part> parts;  // by geometry id
};

void shape_bounds(const RTCBoundsFunctionArguments* arguments) {
  const auto& bounds = static_cast<const ShapeSurface*>(arguments->geometryUserPtr)->bounds;
  RTCBounds& out = *arguments->bounds_o;
  out.lower_x = static_cast<float>(bounds.minimum.x), out.lower_y = static_cast<float>(bounds.minimum.y),
  out.lower_z = static_cast<float>(bounds.minimum.z);
  out.upper_x = static_cast<float>(bounds.maximum.x), out.upper_y = static_cast<float>(bounds.maximum.y),
  out.upper_z = static_cast<float>(bounds.maximum.z);
}

bool meet_shape(const void* shape, const RTCRay& ray, double& distance) {
  return trace_shape(*static_cast<const ShapeSurface*>(shape), {ray.org_x, ray.org_y, ray.org_z}, {ray.dir_x, ray.dir_y, ray.dir_z},
                     static_cast<double>(ray.tnear), static_cast<double>(ray.tfar), distance);
}

// Only single rays are used, so N is 1.
void shape_intersect(const RTCIntersectFunctionNArguments* arguments) {
  auto* rayhit = reinterpret_cast<RTCRayHit*>(arguments->rayhit);
  double distance = 0;
  if (!arguments->valid[0] || !meet_shape(arguments->geometryUserPtr, rayhit->ray, distance)) return;
  rayhit->ray.tfar = static_cast<float>(distance);
  rayhit->hit.geomID = arguments->geomID, rayhit->hit.primID = arguments->primID;
}

void shape_occluded(const RTCOccludedFunctionNArguments* arguments) {
  auto* ray = reinterpret_cast<RTCRay*>(arguments->ray);
  double distance = 0;
  if (arguments->valid[0] && meet_shape(arguments->geometryUserPtr, *ray, distance)) ray->tfar = -1;
}

}  // namespace

struct Tracer::Implementation {
  explicit Implementation(const PictureScene& given);
  ~Implementation();
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  void add(const Balls& balls);
  void add(const MeshSurface& mesh);
  void add(const ShapeSurface& shape);
  void attach(RTCGeometry geometry, Part part, const Finish& finish);
  bool nearest(const Layer& layer, const Ray& ray, Hit& hit) const;
  bool any(const Layer& layer, const Ray& ray) const;
  void describe_ball(const Part& part, unsigned index, Hit& hit) const;
  void describe_mesh(const Part& part, unsigned index, float u, float v, Hit& hit) const;
  bool trace_ground(const Ray& ray, Hit& hit) const;

  const PictureScene& scene;
  RTCDevice device = nullptr;
  Layer opaque, clear;
  int objects = 1;
  float epsilon;
  Finish ground_finish;
};

Tracer::Implementation::Implementation(const PictureScene& given) : scene(given), epsilon(static_cast<float>(1e-5 * given.size)) {
  device = rtcNewDevice(("threads=" + std::to_string(thread_count())).c_str());
  if (!device) throw std::runtime_error("Embree does not start");
  ground_finish.color = scene.sky.ground;
  for (Layer* layer : {&opaque, &clear}) {
    layer->scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(layer->scene, RTC_BUILD_QUALITY_MEDIUM);
  }
  for (const Balls& balls : scene.balls) add(balls);
  for (const MeshSurface& mesh : scene.meshes) add(mesh);
  for (const ShapeSurface& shape : scene.shapes) add(shape);
  for (Layer* layer : {&opaque, &clear}) rtcCommitScene(layer->scene);
  if (rtcGetDeviceError(device) != RTC_ERROR_NONE) throw std::bad_alloc();
}

Tracer::Implementation::~Implementation() {
  rtcReleaseScene(opaque.scene), rtcReleaseScene(clear.scene);
  rtcReleaseDevice(device);
}

void Tracer::Implementation::attach(RTCGeometry geometry, Part part, const Finish& finish) {
  part.finish = &finish;
  part.object = objects++;
  rtcCommitGeometry(geometry);
  Layer& layer = is_clear(finish) ? clear : opaque;
  const unsigned id = rtcAttachGeometry(layer.scene, geometry);
  rtcReleaseGeometry(geometry);
  layer.parts.resize(id + 1);
  layer.parts[id] = std::move(part);
}

void Tracer::Implementation::add(const Balls& balls) {
  if (balls.centers.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  auto* data =
      static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 16, balls.centers.size()));
  if (!data) throw std::bad_alloc();
  for (std::size_t i = 0; i < balls.centers.size(); ++i) {
    const Vec3f& center = balls.centers[i];
    data[4 * i] = center.x, data[4 * i + 1] = center.y, data[4 * i + 2] = center.z, data[4 * i + 3] = balls.radii[i];
  }
  Part part;
  part.balls = &balls;
  if (balls.finish.smoothing > 0) part.grid = std::make_unique<DensityGrid>(balls);
  attach(geometry, std::move(part), balls.finish);
}

void Tracer::Implementation::add(const MeshSurface& mesh) {
  if (mesh.triangles.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices =
      static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh.vertices.size()));
  auto* triangles =
      static_cast<unsigned*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh.triangles.size()));
  if (!vertices || !triangles) throw std::bad_alloc();
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    for (int k = 0; k < 3; ++k) vertices[3 * i + static_cast<std::size_t>(k)] = mesh.vertices[i][k];
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) triangles[3 * i + k] = mesh.triangles[i][k];
  Part part;
  part.mesh = &mesh;
  attach(geometry, std::move(part), mesh.finish);
}

void Tracer::Implementation::add(const ShapeSurface& shape) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, 1);
  rtcSetGeometryUserData(geometry, const_cast<ShapeSurface*>(&shape));
  rtcSetGeometryBoundsFunction(
      geometry, [](const RTCBoundsFunctionArguments* arguments) { shape_bounds(arguments); }, nullptr);
  rtcSetGeometryIntersectFunction(geometry, shape_intersect);
  rtcSetGeometryOccludedFunction(geometry, shape_occluded);
  Part part;
  part.shape = &shape;
  attach(geometry, std::move(part), shape.finish);
}

namespace {

void fill(RTCRay& out, const Ray& ray, float far) {
  out.org_x = ray.origin.x, out.org_y = ray.origin.y, out.org_z = ray.origin.z;
  out.dir_x = ray.direction.x, out.dir_y = ray.direction.y, out.dir_z = ray.direction.z;
  out.tnear = 0, out.tfar = far, out.time = 0;
  out.mask = ~0u, out.id = 0, out.flags = 0;
}

}  // namespace

void Tracer::Implementation::describe_ball(const Part& part, unsigned index, Hit& hit) const {
  const Balls& balls = *part.balls;
  const Vec3f ball = (hit.position - balls.centers[index]) / balls.radii[index];
  hit.geometric = hit.normal = ball;
  if (!balls.colors.empty()) hit.color = balls.colors[index];
  hit.grid = part.grid.get();
  hit.is_ball = true;
  hit.clearance = std::max(epsilon, 1e-3f * balls.radii[index]);
  if (!part.grid) return;
  const Vec3f smooth = part.grid->normal(hit.position);
  if (dot(smooth, smooth) == 0) return;
  const Vec3f mixed = ball * (1 - part.finish->smoothing) + smooth * part.finish->smoothing;
  if (dot(mixed, mixed) < 1e-4f) return;
  hit.normal = normalized(mixed);
  hit.clearance = part.finish->smoothing * balls.radii[index];
}

void Tracer::Implementation::describe_mesh(const Part& part, unsigned index, float u, float v, Hit& hit) const {
  const MeshSurface& mesh = *part.mesh;
  const Triangle& corners = mesh.triangles[index];
  const Vec3f a = mesh.vertices[corners[0]], b = mesh.vertices[corners[1]], c = mesh.vertices[corners[2]];
  const Vec3f flat = cross(b - a, c - a);
  const float area = length(flat);
  hit.geometric = hit.normal = area > 0 ? flat / area : Vec3f{0, 1, 0};
  const bool smooth = mesh.normals.size() == mesh.vertices.size(), creased = mesh.normals.size() == 3 * mesh.triangles.size();
  if (smooth || creased) {
    const std::size_t first = 3 * static_cast<std::size_t>(index);
    auto corner = [&](std::size_t k) { return mesh.normals[creased ? first + k : corners[k]]; };
    const Vec3f mixed = corner(0) * (1 - u - v) + corner(1) * u + corner(2) * v;
    if (dot(mixed, mixed) > 1e-6f) hit.normal = normalized(mixed);
    // Files disagree on which way triangles go; normals that were given say where outside is.
    if (dot(hit.normal, hit.geometric) < 0) hit.geometric = -hit.geometric;
  }
  if (!mesh.colors.empty()) hit.color = mesh.colors[corners[0]] * (1 - u - v) + mesh.colors[corners[1]] * u + mesh.colors[corners[2]] * v;
}

bool Tracer::Implementation::nearest(const Layer& layer, const Ray& ray, Hit& hit) const {
  RTCRayHit query;
  fill(query.ray, ray, std::min(ray.far, hit.distance));
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(layer.scene, &context, &query);
  if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  const Part& part = layer.parts[query.hit.geomID];
  hit.distance = query.ray.tfar;
  hit.position = ray.origin + ray.direction * hit.distance;
  hit.finish = part.finish;
  hit.color = part.finish->color;
  hit.object = part.object;
  hit.grid = nullptr;
  hit.is_ball = false;
  hit.clearance = epsilon;
  if (part.balls) describe_ball(part, query.hit.primID, hit);
  else if (part.mesh) describe_mesh(part, query.hit.primID, query.hit.u, query.hit.v, hit);
  else hit.geometric = hit.normal = to_float(shape_normal(*part.shape, to_double(hit.position))), hit.clearance = 10 * epsilon;
  return true;
}

bool Tracer::Implementation::any(const Layer& layer, const Ray& ray) const {
  if (layer.parts.empty()) return false;
  RTCRay query;
  fill(query, ray, ray.far);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(layer.scene, &context, &query);
  return query.tfar < 0;
}

bool Tracer::Implementation::trace_ground(const Ray& ray, Hit& hit) const {
  if (!scene.ground) return false;
  const Vec3f normal = to_float(scene.ground->normal);
  const float fall = dot(ray.direction, normal);
  if (fall > -1e-6f) return false;
  const float distance = dot(to_float(scene.ground->point) - ray.origin, normal) / fall;
  if (!(distance > 0) || distance >= std::min(hit.distance, ray.far)) return false;
  hit = {};
  hit.distance = distance;
  hit.position = ray.origin + ray.direction * distance;
  hit.normal = hit.geometric = normal;
  hit.color = ground_finish.color;
  hit.finish = &ground_finish;
  hit.clearance = epsilon;
  hit.object = 0;
  return true;
}

Tracer::Tracer(const PictureScene& scene) : implementation_(std::make_unique<Implementation>(scene)) {}
Tracer::~Tracer() = default;

bool Tracer::trace(const Ray& ray, Hit& hit) const {
  const bool met = !implementation_->opaque.parts.empty() && implementation_->nearest(implementation_->opaque, ray, hit);
  const bool ground = implementation_->trace_ground(ray, hit);
  return met || ground;
}
bool Tracer::trace_clear(const Ray& ray, Hit& hit) const {
  return has_clear() && implementation_->nearest(implementation_->clear, ray, hit);
}
bool Tracer::blocked(const Ray& ray) const { return implementation_->any(implementation_->opaque, ray); }
bool Tracer::blocked_clear(const Ray& ray) const { return implementation_->any(implementation_->clear, ray); }
bool Tracer::has_clear() const { return !implementation_->clear.parts.empty(); }

}  // namespace knead
