// What is drawn of one run: its particles, surfaces and colliders, as three.js objects.
import {
  BufferAttribute, BufferGeometry, CustomBlending, DataTexture, DoubleSide, DynamicDrawUsage, FloatType, FrontSide, GLSL3, Group,
  InterleavedBuffer, InterleavedBufferAttribute, LinearFilter, Matrix4, Mesh, NearestFilter, OneFactor, OneMinusSrcAlphaFactor, Points,
  RawShaderMaterial, RGBAFormat, Scene, Vector2, Vector3, Vector4,
} from "three";
import * as shaders from "./shaders.js";

const precision = "precision highp float;\nprecision highp int;\n";
const material = (vertexShader, fragmentShader, uniforms, more = {}) => new RawShaderMaterial({
  glslVersion: GLSL3, vertexShader: precision + vertexShader, fragmentShader: precision + shaders.shading + fragmentShader, uniforms, ...more,
});

export function colorMapTexture(bytes) {
  const texture = new DataTexture(bytes, 256, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export class RunView {
  // `shared`: uniforms that all runs have in common (slice, colorMap, shownRange, sizeFactor, byAttribute).
  constructor(shared) {
    this.shared = shared;
    this.scene = new Scene();
    this.colliders = new Group();
    this.surfaces = new Group();
    this.points = null;
    this.count = 0;
    this.capacity = 0;
    this.rowType = null;
    this.bodies = [];
    this.table = new DataTexture(new Float32Array(4 * 1024), 1024, 1, RGBAFormat, FloatType);
    this.table.minFilter = this.table.magFilter = NearestFilter;
    this.uniforms = {
      origin: { value: new Vector3() }, extent: { value: new Vector3(1, 1, 1) }, bodyTable: { value: this.table },
      encodedRange: { value: new Vector2(0, 1) }, hiddenBody: { value: 255 }, sampleFactor: { value: 1 }, pixelsPerUnit: { value: 1 }, ...shared,
    };
    this.pointMaterial = material(shaders.pointVertex, shaders.pointFragment, this.uniforms);
    this.scene.add(this.colliders, this.surfaces);
    this.showPoints({ count: 1, rows: new Uint16Array(4), bodies: new Uint8Array([255]), origin: [0, 0, 0], extent: [0, 0, 0], encoded: [0, 1], share: 1 });
  }

  // bodies: [{ color, radius, visible }]
  setBodies(bodies) {
    this.bodies = bodies;
    const rows = Math.max(1, Math.ceil(bodies.length / 1024));
    if (this.table.image.height !== rows) {
      this.table.dispose();
      this.table.image = { data: new Float32Array(4 * 1024 * rows), width: 1024, height: rows };
    }
    bodies.forEach((body, i) => this.table.image.data.set([...body.color, body.visible ? body.radius : 0], 4 * i));
    this.table.needsUpdate = true;
    for (const surface of this.surfaces.children) this.styleSurface(surface);
  }

  allocate(points) {
    if (this.points && points.count <= this.capacity && points.rows.constructor === this.rowType && points.bodies.constructor === this.bodyType)
      return;
    if (this.points) this.scene.remove(this.points), this.points.geometry.dispose();
    this.rowType = points.rows.constructor;
    this.bodyType = points.bodies.constructor;
    this.capacity = Math.max(1024, Math.ceil(1.02 * points.count));
    const geometry = new BufferGeometry();
    const data = new BufferAttribute(new this.rowType(4 * this.capacity), 4, this.rowType === Uint16Array);
    const body = new BufferAttribute(new this.bodyType(this.capacity), 1, false);
    for (const attribute of [data, body]) attribute.setUsage(DynamicDrawUsage);
    geometry.setAttribute("data", data);
    geometry.setAttribute("body", body);
    this.points = new Points(geometry, this.pointMaterial);
    this.points.frustumCulled = false;
    this.scene.add(this.points);
  }

  showPoints(points) {
    if (!points) {
      if (this.points) this.points.visible = false;
      return;
    }
    this.allocate(points);
    const { data, body } = this.points.geometry.attributes;
    for (const [attribute, values] of [[data, points.rows], [body, points.bodies]]) {
      attribute.array.set(values);
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, values.length);
      attribute.needsUpdate = true;
    }
    this.count = points.count;
    this.share = points.share;
    this.points.visible = points.count > 0;
    this.uniforms.origin.value.fromArray(points.origin);
    this.uniforms.extent.value.fromArray(points.extent);
    this.uniforms.encodedRange.value.fromArray(points.encoded);
    this.uniforms.hiddenBody.value = this.bodyType === Uint16Array ? 65535 : 255;
    this.pointMaterial.uniformsNeedUpdate = true;
  }

  // Draws this share of the particles, each one as large as those that it stands for. The first ones are an even sample of all.
  setDetail(share) {
    if (!this.points) return;
    this.points.geometry.setDrawRange(0, Math.ceil(this.count * share));
    this.uniforms.sampleFactor.value = Math.cbrt(this.share / share);
  }

  showSurfaces(surfaces) {
    for (const child of [...this.surfaces.children]) {
      child.geometry.dispose();
      child.material.dispose();
      this.surfaces.remove(child);
    }
    for (const surface of surfaces) {
      const geometry = new BufferGeometry();
      const words = new InterleavedBuffer(surface.words, 6);
      geometry.setAttribute("place", new InterleavedBufferAttribute(words, 3, 0, true));
      geometry.setAttribute("folded", new InterleavedBufferAttribute(words, 2, 3, true));
      geometry.setIndex(new BufferAttribute(surface.indices, 1));
      const mesh = new Mesh(geometry, material(shaders.surfaceVertex, shaders.surfaceFragment, {
        origin: { value: new Vector3(...surface.origin) }, extent: { value: new Vector3(...surface.extent) },
        baseColor: { value: new Vector3() }, slice: this.shared.slice,
      }, { side: DoubleSide }));
      mesh.frustumCulled = false;
      mesh.userData.body = surface.body;
      this.styleSurface(mesh);
      this.surfaces.add(mesh);
    }
  }

  styleSurface(mesh) {
    const body = this.bodies[mesh.userData.body];
    mesh.visible = body?.visible ?? true;
    mesh.material.uniforms.baseColor.value.fromArray(body?.color ?? [0.7, 0.7, 0.7]);
  }

  // As the server sends them; `box` is where the particles are. Floors reach far beyond it, walls do not.
  setColliders(list, box, up) {
    for (const child of [...this.colliders.children]) {
      child.geometry.dispose();
      child.material.dispose();
      this.colliders.remove(child);
    }
    for (const collider of list) this.colliders.add(collider.plane ? planeMesh(collider, box, up) : solidMesh(collider, box));
  }

  poseColliders(frame, time) {
    for (const mesh of this.colliders.children) {
      const { poses, release } = mesh.userData.collider;
      mesh.visible = release == null || time < release;
      if (!poses?.length) continue;
      const m = poses[Math.min(frame, poses.length - 1)];
      mesh.matrix.copy(new Matrix4().set(...m, 0, 0, 0, 1));
    }
  }
}

function colliderMesh(geometry, collider, uniforms, more) {
  const mesh = new Mesh(geometry, material(shaders.colliderVertex, shaders.colliderFragment, {
    baseColor: { value: new Vector3(...(collider.color ?? [0.42, 0.46, 0.52])) }, opacity: { value: 1 }, isPlane: { value: 0 },
    center: { value: new Vector3() }, axisU: { value: new Vector3() }, axisV: { value: new Vector3() }, cell: { value: 1 }, reach: { value: 1 },
    ...uniforms,
  }, { blending: CustomBlending, blendSrc: OneFactor, blendDst: OneMinusSrcAlphaFactor, blendSrcAlpha: OneFactor,
    blendDstAlpha: OneMinusSrcAlphaFactor, ...more }));
  mesh.matrixAutoUpdate = false;
  mesh.frustumCulled = false;
  mesh.userData.collider = collider;
  return mesh;
}

// A part of the plane around the particles, seen from its free side only: walls never hide what is before them.
function planeMesh(collider, box, up) {
  const normal = new Vector3(...collider.plane.normal).normalize();
  const u = new Vector3(Math.abs(normal.x) < 0.7 ? 1 : 0, 0, Math.abs(normal.x) < 0.7 ? 0 : 1);
  u.addScaledVector(normal, -u.dot(normal)).normalize();
  const v = normal.clone().cross(u);
  const center = box.getCenter(new Vector3());
  center.addScaledVector(normal, new Vector3(...collider.plane.point).sub(center).dot(normal));
  const isFloor = normal.dot(up) > 0.5;
  const size = box.getSize(new Vector3());
  const reach = 1.6 * size.length();
  const half = (axis) => (isFloor ? reach : 0.5 * (Math.abs(axis.x) * size.x + Math.abs(axis.y) * size.y + Math.abs(axis.z) * size.z));
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].flatMap(([a, b]) =>
    center.clone().addScaledVector(u, a * half(u)).addScaledVector(v, b * half(v)).toArray());
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  const cell = 10 ** Math.floor(Math.log10(reach / 6));
  return colliderMesh(geometry, collider, {
    isPlane: { value: 1 }, center: { value: center }, axisU: { value: u }, axisV: { value: v }, cell: { value: cell },
    reach: { value: isFloor ? reach : 4 * reach }, opacity: { value: isFloor ? 0.5 : 0.14 }, baseColor: { value: new Vector3(0.2, 0.225, 0.26) },
  }, { transparent: true, depthWrite: false, side: FrontSide });
}

// One that lies around the particles is shown as glass.
function solidMesh(collider, box) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(collider.mesh.vertices), 3));
  geometry.setIndex(collider.mesh.triangles);
  geometry.computeBoundingBox();
  const glass = geometry.boundingBox.containsPoint(box.getCenter(new Vector3()));
  return colliderMesh(geometry, collider, { opacity: { value: glass ? 0.16 : 1 } },
    { transparent: glass, depthWrite: !glass, side: glass ? FrontSide : DoubleSide });
}

export const noSlice = () => new Vector4(0, 0, 0, 1);
