// Colour maps, and the colours that bodies get when the scene names none.
const stops = {
  viridis: "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  inferno: "000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4",
  spectrum: "30123b 4662d7 36aaf9 1ae4b6 72fe5e c8ef34 faba39 f66b19 cb2a04 7a0403",
  "cool-warm": "3b4cc0 6f92f3 aac7fd dddddd f7b89c e7745b b40426",
  grey: "1c1c1c f4f4f4",
};
export const colorMaps = Object.keys(stops);

const channels = (hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));

// 256 colours as RGBA bytes.
export function colorMapBytes(name) {
  const colors = stops[name].split(" ").map(channels);
  const bytes = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; ++i) {
    const place = (i / 255) * (colors.length - 1);
    const first = Math.min(Math.floor(place), colors.length - 2);
    for (let c = 0; c < 3; ++c) bytes[4 * i + c] = Math.round(colors[first][c] + (place - first) * (colors[first + 1][c] - colors[first][c]));
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

export const cssGradient = (name) => `linear-gradient(to right, ${stops[name].split(" ").map((hex) => `#${hex}`).join(", ")})`;

// Far apart for the eye, on dark ground; those that read as water, sand and snow are kept for these.
const palette = ["e4572e", "f2c14e", "9d6ad8", "54b66f", "e88bb3", "4cc9c0", "c9784a", "b9d44c", "7a8cf0", "d64f72"];
const water = ["3f8fd6", "5fb3e8", "2f6fb8"];
const sand = ["d9b27c", "c69a5e", "e6c99a"];
const snow = ["e9f1f7", "cfdde8"];
const metal = ["9aa7b4", "7f8c99"];

function family(material) {
  const flow = material?.plasticity?.type;
  if (material?.elasticity?.type === "eos") return water;
  if (flow === "drucker_prager") return sand;
  if (flow === "snow") return snow;
  if (flow === "von_mises" && material.density > 2500) return metal;
  return palette;
}

// One colour per body, each 0 to 1, sRGB.
export function bodyColors(bodies, materials) {
  const used = new Map();
  return bodies.map((body) => {
    if (body.color) return body.color;
    const colors = family(materials?.[body.material]);
    const next = used.get(colors) ?? 0;
    used.set(colors, next + 1);
    return channels(colors[next % colors.length]).map((c) => c / 255);
  });
}

export const cssColor = (color) => `rgb(${color.map((c) => Math.round(255 * c)).join(" ")})`;
