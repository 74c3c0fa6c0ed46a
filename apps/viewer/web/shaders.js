// All shaders. Colours are sRGB at the borders and linear inside.
export const pointVertex = `
in vec4 data;
in float body;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 origin, extent;
uniform highp sampler2D bodyTable;   // red, green, blue, radius; radius 0: hidden
uniform sampler2D colorMap;
uniform vec2 encodedRange, shownRange;
uniform float byAttribute, hiddenBody, sizeFactor, sampleFactor, pixelsPerUnit;
uniform vec4 slice;                  // xyz . position > w is cut away
flat out vec3 pointColor, pointCenter;
flat out float pointRadius, pointPixels;

void main() {
  vec3 position = origin + extent * data.xyz;
  int number = int(body + 0.5);
  vec4 entry = texelFetch(bodyTable, ivec2(number & 1023, number >> 10), 0);
  pointRadius = entry.a * sizeFactor * sampleFactor;
  if (pointRadius <= 0.0 || body == hiddenBody || dot(slice.xyz, position) > slice.w) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = 0.0;
    return;
  }
  pointColor = entry.rgb;
  if (byAttribute > 0.5) {
    float value = mix(encodedRange.x, encodedRange.y, data.w * (65535.0 / 65534.0));
    float place = clamp((value - shownRange.x) / max(shownRange.y - shownRange.x, 1e-30), 0.0, 1.0);
    pointColor = texture(colorMap, vec2(place * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
    if (data.w > 0.99999) pointColor = vec3(0.35);  // no number; those that are stop at 65534 of 65535
  }
  vec4 view = modelViewMatrix * vec4(position, 1.0);
  pointCenter = view.xyz;
  float distance = max(-view.z, 1e-6);
  pointPixels = pointRadius * pixelsPerUnit / distance;
  // The depth of the nearest point of the ball: fragments only lie behind it, so a graphics card may skip hidden ones early.
  vec4 clip = projectionMatrix * view;
  vec4 front = projectionMatrix * vec4(view.xy, min(view.z + pointRadius, -1e-6), 1.0);
  gl_Position = vec4(clip.xy / distance, view.z < 0.0 ? max(front.z / front.w, -1.0) : 2.0, 1.0);
  gl_PointSize = max(2.0 * pointPixels, 1.0);
}`;

export const pointFragment = `
flat in vec3 pointColor, pointCenter;
flat in float pointRadius, pointPixels;
uniform mat4 projectionMatrix;
out vec4 color;

void main() {
  vec2 place = vec2(gl_PointCoord.x, 1.0 - gl_PointCoord.y) * 2.0 - 1.0;
  float square = dot(place, place);
  if (square > 1.0 && pointPixels > 0.75) discard;
  vec3 normal = vec3(place, sqrt(max(0.0, 1.0 - square)));
  vec4 clip = projectionMatrix * vec4(pointCenter + pointRadius * normal, 1.0);
  gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
  // A ball of a pixel or two shows a random spot of its normals: it is lit as if it faced the eye.
  normal = normalize(mix(vec3(0.0, 0.0, 1.0), normal, smoothstep(0.8, 3.0, pointPixels)));
  color = vec4(shade(pointColor, normal), 1.0);
}`;

// A key light from the upper right of the eye and light from the sky.
export const shading = `
vec3 shade(vec3 srgb, vec3 normal) {
  vec3 linear = pow(srgb, vec3(2.2));
  float key = max(0.0, dot(normal, normalize(vec3(0.35, 0.75, 0.6))));
  float sky = 0.5 + 0.5 * normal.y;
  vec3 light = vec3(1.0, 0.97, 0.92) * key * 0.75 + mix(vec3(0.22, 0.21, 0.22), vec3(0.42, 0.47, 0.55), sky);
  return pow(min(linear * light * 1.15, vec3(1.0)), vec3(1.0 / 2.2));
}
`;

export const surfaceVertex = `
in vec3 place;
in vec2 folded;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
uniform vec3 origin, extent;
out vec3 viewNormal, worldPosition;

void main() {
  worldPosition = origin + extent * place;
  vec3 normal = vec3(folded * 2.0 - 1.0, 0.0);
  normal.z = 1.0 - abs(normal.x) - abs(normal.y);
  if (normal.z < 0.0) normal.xy = (1.0 - abs(normal.yx)) * vec2(normal.x < 0.0 ? -1.0 : 1.0, normal.y < 0.0 ? -1.0 : 1.0);
  viewNormal = normalMatrix * normal;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(worldPosition, 1.0);
}`;

export const surfaceFragment = `
in vec3 viewNormal, worldPosition;
uniform vec3 baseColor;
uniform vec4 slice;
out vec4 color;

void main() {
  if (dot(slice.xyz, worldPosition) > slice.w) discard;
  vec3 normal = normalize(viewNormal) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 half_way = normalize(normalize(vec3(0.35, 0.75, 0.6)) + vec3(0.0, 0.0, 1.0));
  float gloss = pow(max(0.0, dot(normal, half_way)), 40.0) * 0.25;
  color = vec4(shade(baseColor * (gl_FrontFacing ? 1.0 : 0.55), normal) + gloss, 1.0);
}`;

export const colliderVertex = `
in vec3 position;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
out vec3 worldPosition, localPosition;

void main() {
  localPosition = position;
  worldPosition = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(worldPosition, 1.0);
}`;

// Planes carry a grid that fades out; solids are lit by the normal of each triangle.
export const colliderFragment = `
in vec3 worldPosition, localPosition;
uniform vec3 baseColor, center, axisU, axisV;
uniform mat4 viewMatrix;
uniform float opacity, isPlane, cell, reach;
out vec4 color;

float lines(vec2 place) {
  vec2 width = max(fwidth(place), vec2(1e-6));
  vec2 away = abs(fract(place - 0.5) - 0.5) / width;
  return 1.0 - min(min(away.x, away.y), 1.0);
}

void main() {
  vec3 normal = normalize(cross(dFdx(worldPosition), dFdy(worldPosition)));
  vec3 viewNormal = normalize((viewMatrix * vec4(normal, 0.0)).xyz);
  if (isPlane > 0.5) {
    vec2 place = vec2(dot(localPosition - center, axisU), dot(localPosition - center, axisV));
    float fade = 1.0 - smoothstep(0.35, 1.0, length(place) / reach);
    vec2 cells = vec2(dot(localPosition, axisU), dot(localPosition, axisV)) / cell;
    float grid = 0.55 * lines(cells) * (1.0 - smoothstep(0.15, 0.5, max(fwidth(cells.x), fwidth(cells.y)))) + 0.45 * lines(cells / 5.0);
    color = vec4(mix(baseColor, vec3(0.72, 0.78, 0.85), 0.45 * grid), opacity * fade * (0.75 + 0.5 * grid));
  } else {
    float rim = 1.0 - abs(viewNormal.z);
    color = vec4(shade(baseColor, viewNormal), mix(opacity, 1.0, opacity < 1.0 ? 0.5 * rim * rim : 0.0));
  }
  color.rgb *= color.a;
}`;

export const screenVertex = `
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }`;

// Darkens what lies behind its neighbours, so that shapes read without any lines; averages the finer picture of a still view.
export const screenFragment = `
uniform sampler2D picture;
uniform highp sampler2D depths;
uniform vec2 pictureSize, canvasSize;
uniform float near, far, strength;
out vec4 color;

float eyeDistance(ivec2 at) {
  float depth = texelFetch(depths, clamp(at, ivec2(0), ivec2(pictureSize) - 1), 0).r;
  return depth >= 1.0 ? far * 4.0 : near * far / (far - depth * (far - near));
}

vec3 one(ivec2 at, vec3 background) {
  vec4 here = texelFetch(picture, at, 0);
  float distance = log2(eyeDistance(at));
  float behind = 0.0;
  int reach = max(1, int(pictureSize.y / 540.0 + 0.5));
  for (int i = 0; i < 8; ++i) {
    float angle = float(i) * 0.785398;
    ivec2 step = ivec2(round(vec2(cos(angle), sin(angle)) * float(reach)));
    behind += clamp(distance - log2(eyeDistance(at + step)), 0.0, 0.15);
  }
  vec3 front = here.a > 0.0 ? here.rgb / here.a : vec3(0.0);
  return mix(background, front * exp(-strength * behind / 8.0), here.a);
}

void main() {
  vec2 place = gl_FragCoord.xy / canvasSize;
  vec3 background = mix(vec3(0.055, 0.062, 0.075), vec3(0.115, 0.13, 0.155), smoothstep(0.0, 1.0, place.y));
  int samples = max(1, int(pictureSize.x / canvasSize.x + 0.5));
  vec3 sum = vec3(0.0);
  for (int y = 0; y < samples; ++y)
    for (int x = 0; x < samples; ++x)
      sum += one(ivec2((gl_FragCoord.xy - 0.5 + (vec2(x, y) + 0.5) / float(samples)) * pictureSize / canvasSize), background);
  color = vec4(sum / float(samples * samples), 1.0);
}`;
