// Data: arrays of numbers are strings, `TYPE:` and their bytes in base64, little endian as every current machine.

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array, i64: BigInt64Array };

function decode(text) {
  const colon = text.indexOf(':');
  const binary = atob(text.slice(colon + 1));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return new TYPES[text.slice(0, colon)](bytes.buffer);
}

const isArray = value => typeof value === 'string' && value.split(':', 1)[0] in TYPES;

/** The same object with its arrays of numbers decoded. */
function decoded(columns) {
  const found = {};
  for (const [name, value] of Object.entries(columns)) found[name] = isArray(value) ? decode(value) : value;
  return found;
}

// ---------------------------------------------------------------- numbers as heapquarry prints them

const BYTES = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];
const MICROS = [[1e6, 's'], [1e3, 'ms']];
const NANOS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']];

function scaled(value, steps, smallest) {
  const sign = value < 0 ? '-' : '';
  const size = Math.abs(value);
  for (const [unit, word] of steps) {
    // 999,950 B would be rounded to 1000.0 kB.
    if (size >= unit - unit / 20000) return `${sign}${(size / unit).toFixed(1)} ${word}`;
  }
  return `${sign}${Math.round(size)} ${smallest}`;
}

const formats = {
  bytes: value => scaled(value, BYTES, 'B'),
  micros: value => scaled(value, MICROS, 'us'),
  nanos: value => scaled(value, NANOS, 'ns'),
  count: value => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ','),
};

function share(part, whole) {
  const percent = whole > 0 ? (part / whole) * 100 : 0;
  return `${percent.toFixed(Math.abs(percent) < 1 ? 2 : 1)} %`;
}

function signed(format, value) {
  return (value > 0 ? '+' : '') + format(value);
}
