'use strict';
// Where the command of this platform is.
const fs = require('node:fs');

/** The packages that hold a command, by `process.platform` and `process.arch`. */
const PACKAGES = {
  'darwin arm64': ['@heapquarry/darwin-arm64'],
  'darwin x64': ['@heapquarry/darwin-x64'],
  'linux arm64': ['@heapquarry/linux-arm64'],
  'linux x64': ['@heapquarry/linux-x64', '@heapquarry/linux-x64-musl'],
  'win32 x64': ['@heapquarry/win32-x64'],
};

/**
 * Path of the command: `HEAPQUARRY_BINARY`, otherwise that of the package for this platform.
 * @returns {string}
 */
function binary() {
  const own = process.env.HEAPQUARRY_BINARY;
  if (own) {
    if (fs.existsSync(own)) return own;
    throw new Error(`HEAPQUARRY_BINARY names no file: ${own}`);
  }
  const names = PACKAGES[`${process.platform} ${process.arch}`];
  if (!names) {
    throw new Error(
      `there is no package for ${process.platform} on ${process.arch}; ` +
      'build the command in a checkout of heapquarry (cargo build --release) and set HEAPQUARRY_BINARY to its path',
    );
  }
  const file = process.platform === 'win32' ? 'heapquarry.exe' : 'heapquarry';
  for (const name of names.filter(name => name.endsWith('-musl') === isMusl())) {
    try {
      return require.resolve(`${name}/bin/${file}`);
    } catch {
      // The next one, or the message below.
    }
  }
  throw new Error(missing(names.join(' or ')));
}

/** Whether the C library is musl, as on Alpine. */
function isMusl() {
  return process.platform === 'linux' && process.arch === 'x64' && fs.existsSync('/lib/ld-musl-x86_64.so.1') &&
    !fs.existsSync('/lib64/ld-linux-x86-64.so.2');
}

function missing(name) {
  return `the package ${name} is not installed. It is an optional dependency of heapquarry. Reasons and what to do:
  - node_modules or the lock file come from another platform (npm/cli#4828): remove both and install again
  - optional dependencies were left out (--omit=optional, --no-optional): install with them
  - heapquarry was installed from its tarball alone: install that of ${name} with it
  - this is a C library or CPU without a package: build the command in a checkout of heapquarry
    (cargo build --release) and set HEAPQUARRY_BINARY to its path`;
}

module.exports = { binary };
