// The canvas: one camera, a part of the canvas for each run, drawn only when something changed.
import {
  Box3, BufferAttribute, BufferGeometry, DepthTexture, GLSL3, Mesh, NearestFilter, PerspectiveCamera, RawShaderMaterial, Scene, Spherical,
  UnsignedIntType, Vector2, Vector3, WebGLRenderer, WebGLRenderTarget,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import * as shaders from "./shaders.js";

const stillAfter = 250; // [ms] without a change, until a finer picture is drawn
const fewPoints = 2e5; // so many are drawn at once on any machine

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: false, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.renderer.debug.checkShaderErrors = false; // it waits for each shader; those that fail draw nothing, which tests see
    this.views = [];
    this.camera = new PerspectiveCamera(35, 1, 0.01, 100);
    this.makeControls(new Vector3());
    this.box = new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    this.target = null;
    this.fine = false;
    this.scale = 1; // pixels of the picture per pixel of the canvas; less than 1 while a slow machine plays
    this.detail = 1; // share of the particles that is drawn; likewise
    this.shown = 0; // particles of the picture before
    this.makeScreen();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.draw());
    this.resize();
  }

  makeScreen() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    this.screenUniforms = {
      picture: { value: null }, depths: { value: null }, pictureSize: { value: new Vector2() }, canvasSize: { value: new Vector2() },
      near: { value: 0.01 }, far: { value: 100 }, strength: { value: 34 },
    };
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: shaders.screenVertex, fragmentShader: `precision highp float;\nprecision highp int;\n${shaders.screenFragment}`,
      uniforms: this.screenUniforms, depthTest: false, depthWrite: false,
    });
    const triangle = new Mesh(geometry, material);
    triangle.frustumCulled = false;
    this.screen = new Scene();
    this.screen.add(triangle);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.draw();
    this.onResized?.();
  }

  // Where the views are, as parts of the canvas: [x, y, width, height] with y downwards.
  layout() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    const count = this.views.length;
    let columns = 1;
    let best = 0;
    for (let c = 1; c <= count; ++c) { // the largest squares
      const side = Math.min(width / c, height / Math.ceil(count / c));
      if (side > best) best = side, columns = c;
    }
    const rows = Math.ceil(count / columns);
    return this.views.map((_, i) => [(i % columns) / columns, Math.floor(i / columns) / rows, 1 / columns, 1 / rows]);
  }

  draw() {
    this.fine = false;
    this.changed = performance.now();
    this.request();
  }

  // The next picture is drawn, and on its way to the screen.
  painted() {
    this.draw();
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }

  request() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.render();
    });
  }

  picture(width, height) {
    if (this.target?.width === width && this.target.height === height) return this.target;
    this.target?.depthTexture.dispose();
    this.target?.dispose();
    this.target = new WebGLRenderTarget(width, height, { depthTexture: new DepthTexture(width, height, UnsignedIntType) });
    this.target.texture.minFilter = this.target.texture.magFilter = NearestFilter;
    this.target.texture.generateMipmaps = false;
    this.target.scissorTest = true;
    return this.target;
  }

  render() {
    const size = this.renderer.getDrawingBufferSize(new Vector2());
    const scale = this.fine ? (this.renderer.getPixelRatio() < 2 ? 2 : 1) : this.scale;
    const width = Math.max(1, Math.round(size.x * scale));
    const height = Math.max(1, Math.round(size.y * scale));
    const target = this.picture(width, height);
    const points = this.points();
    // The first picture of many particles is a coarse one, at once; the whole follows.
    const coarse = points > fewPoints && this.shown < points / 16;
    const detail = coarse ? 1 / 16 : this.fine ? 1 : this.detail;
    this.setDepthRange();
    this.layout().forEach(([x, y, w, h], i) => {
      const part = [Math.round(x * width), Math.round((1 - y - h) * height), Math.round(w * width), Math.round(h * height)];
      target.viewport.set(...part);
      target.scissor.set(...part);
      this.renderer.setRenderTarget(target);
      this.renderer.setClearColor(0, 0);
      this.renderer.clear();
      this.camera.aspect = part[2] / part[3];
      this.camera.updateProjectionMatrix();
      const view = this.views[i];
      view.setDetail(detail);
      view.uniforms.pixelsPerUnit.value = 0.5 * part[3] * this.camera.projectionMatrix.elements[5];
      this.renderer.render(view.scene, this.camera);
    });
    this.renderer.setRenderTarget(null);
    const uniforms = this.screenUniforms;
    uniforms.picture.value = target.texture;
    uniforms.depths.value = target.depthTexture;
    uniforms.pictureSize.value.set(width, height);
    uniforms.canvasSize.value.copy(size);
    uniforms.near.value = this.camera.near;
    uniforms.far.value = this.camera.far;
    this.renderer.render(this.screen, this.camera);
    this.rendered = (this.rendered ?? 0) + 1;
    this.shown = points;
    clearTimeout(this.stillTimer);
    // Drawing the whole at once would keep the coarse picture from the screen where there is no graphics card.
    if (coarse) return requestAnimationFrame(() => requestAnimationFrame(() => this.request()));
    if (!this.fine && (points < 3e6 || this.detail < 1)) this.stillTimer = setTimeout(() => this.whenStill(), stillAfter);
  }

  points() {
    return this.views.reduce((sum, view) => sum + (view.points?.visible ? view.count : 0), 0);
  }

  whenStill() {
    if (performance.now() - this.changed < stillAfter - 20) return;
    this.fine = true;
    this.request();
  }

  setDepthRange() {
    const radius = Math.max(this.box.getSize(new Vector3()).length(), 1e-6);
    const distance = this.camera.position.distanceTo(this.box.getCenter(new Vector3()));
    this.camera.far = distance + 4 * radius;
    this.camera.near = Math.max(distance - 2 * radius, this.camera.far / 2000);
  }

  // The camera sees the whole box, a little from above and from the side; `from` is a direction instead.
  frame(box, up, from) {
    this.box = box;
    this.camera.up.copy(up);
    const center = box.getCenter(new Vector3());
    const side = Math.abs(up.y) > 0.5 ? new Vector3(0.5, 0.42, 1) : new Vector3(0.5, -1, 0.42);
    const direction = (from ?? side).clone().normalize();
    this.camera.position.copy(center).add(direction);
    this.camera.lookAt(center);
    this.camera.updateMatrixWorld();
    this.camera.position.addScaledVector(direction, this.fitDistance(box, center, direction) - 1);
    this.makeControls(center);
    this.touched = false;
    this.draw();
  }

  // The least distance at which every corner of the box is inside the picture of each view.
  fitDistance(box, center, direction) {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    const [, , w, h] = this.layout()[0] ?? [0, 0, 1, 1];
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360) * 0.86;
    const aspect = Math.max(0.1, (w * width) / Math.max(1, h * height));
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const above = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    let distance = 1e-3;
    for (let corner = 0; corner < 8; ++corner) {
      const point = new Vector3(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y, corner & 4 ? box.max.z : box.min.z);
      point.sub(center);
      const need = Math.max(Math.abs(point.dot(above)) / tangent, Math.abs(point.dot(right)) / (tangent * aspect));
      distance = Math.max(distance, point.dot(direction) + need);
    }
    return distance;
  }

  look(position, target, fieldOfView, up) {
    this.camera.up.copy(up);
    this.camera.fov = fieldOfView;
    this.camera.position.copy(position);
    this.makeControls(target);
    this.touched = false;
    this.draw();
  }

  // OrbitControls reads the direction of "up" only when it is made.
  makeControls(target) {
    this.controls?.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = true;
    this.controls.target.copy(target);
    this.controls.update();
    this.controls.addEventListener("change", () => {
      this.touched = true;
      this.draw();
    });
  }

  orbit(across, down) {
    const up = this.camera.up.clone();
    const toY = new Vector3(0, 1, 0);
    const offset = this.camera.position.clone().sub(this.controls.target);
    const turn = up.equals(toY) ? 0 : -Math.PI / 2; // z up: as if y were
    offset.applyAxisAngle(new Vector3(1, 0, 0), turn);
    const place = new Spherical().setFromVector3(offset);
    place.theta += across;
    place.phi = Math.min(Math.PI - 0.01, Math.max(0.01, place.phi + down));
    offset.setFromSpherical(place).applyAxisAngle(new Vector3(1, 0, 0), -turn);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.draw();
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  // The present picture, at its finest, as a PNG.
  screenshot() {
    this.fine = true;
    this.render();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }
}
