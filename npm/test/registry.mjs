// A registry of npm with the tarballs, on loopback: packages are installed as users install them.
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

/**
 * Serves the packages in `packages/*` of a folder, with their tarballs. Of platforms without a tarball only the metadata is
 * there, as for all platforms but one that an installation does not fetch.
 */
export async function serve(built) {
  const folder = path.join(built, 'packages');
  const manifests = fs.readdirSync(folder).map(name => JSON.parse(fs.readFileSync(path.join(folder, name, 'package.json'))));
  const shim = manifests.find(({ name }) => name === 'heapquarry');
  const others = Object.entries(shim.optionalDependencies)
    .filter(([name]) => !manifests.some(manifest => manifest.name === name))
    .map(([name, version]) => ({ name, version, os: [name.split(/[/-]/)[1]], cpu: [name.split('-')[1]], ...(name.endsWith('musl') && { libc: ['musl'] }) }));
  const fetched = [];
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(request.url.slice(1)).replace(/\?.*/, '');
    const tarball = path.join(built, path.basename(name));
    if (name.endsWith('.tgz') && fs.existsSync(tarball)) {
      fetched.push(path.basename(name));
      fs.createReadStream(tarball).pipe(response);
      return;
    }
    const manifest = [...manifests, ...others].find(one => one.name === name);
    if (!manifest) {
      response.writeHead(404).end('{}');
      return;
    }
    const file = `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    const dist = { tarball: `http://127.0.0.1:${server.address().port}/${file}`, ...sums(path.join(built, file)) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({
      name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
      time: { [manifest.version]: '2026-01-01T00:00:00.000Z' },
    }));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, fetched, close: () => server.close() };
}

function sums(file) {
  if (!fs.existsSync(file)) return { shasum: '0'.repeat(40) };
  const content = fs.readFileSync(file);
  const hash = (name, encoding) => crypto.createHash(name).update(content).digest(encoding);
  return { shasum: hash('sha1', 'hex'), integrity: `sha512-${hash('sha512', 'base64')}` };
}
