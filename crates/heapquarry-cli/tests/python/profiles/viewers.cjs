// What other programs read in files for viewers, as JSON.
//
// usage, in a folder with node_modules: node viewers.cjs pprof|speedscope FILE
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const zlib = require('node:zlib');

const [, , reader, file] = process.argv;
const modules = path.join(process.cwd(), 'node_modules');

/** The messages of a pprof file: sample types, and each sample's stack, the outermost first, values, and labels. */
function pprof() {
  const { Profile } = require(path.join(modules, 'pprof-format'));
  const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)));
  const text = index => profile.stringTable.strings[Number(index)];
  const byId = list => new Map(list.map(item => [Number(item.id), item]));
  const [functions, locations] = [byId(profile.function), byId(profile.location)];
  const frame = id => {
    const [line] = locations.get(Number(id)).line;
    const called = functions.get(Number(line.functionId));
    return [text(called.name), text(called.filename), Number(line.line)];
  };
  const type = ({ type, unit }) => [text(type), text(unit)];
  return {
    types: profile.sampleType.map(type),
    shown: text(profile.defaultSampleType),
    period: profile.periodType ? [type(profile.periodType), Number(profile.period)] : null,
    nanos: Number(profile.durationNanos),
    first: text(0),
    samples: profile.sample.map(sample => [sample.locationId.map(frame).reverse(), sample.value.map(Number)]),
    labels: profile.sample.map(sample => Object.fromEntries(sample.label.map(label => [text(label.key), text(label.str)]))),
  };
}

/** Functions of each profile as speedscope adds them up. Its importer is a function in the page's script: that is run up to where it draws. */
async function speedscope() {
  const release = path.join(modules, 'speedscope/dist/release');
  const script = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name));
  let code = fs.readFileSync(path.join(release, script), 'utf8');
  const importer = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>(\w+)\(\1,\2\)\)\}/.exec(code)[3];
  const ready = 'the importer is there';
  code = code.replace('console.log(`speedscope v', `globalThis.importProfiles=${importer};throw ${JSON.stringify(ready)};$&`);
  const anything = new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => '' : anything),
    apply: () => anything,
    construct: () => anything,
    set: () => true,
  });
  Object.assign(globalThis, { window: globalThis, self: globalThis, document: anything, localStorage: anything });
  Object.assign(globalThis, { location: { protocol: 'http:', hash: '', href: '' }, matchMedia: () => anything });
  Object.assign(globalThis, { addEventListener() {}, DOMParser: anything, FontFace: anything, Image: anything });
  console.log = console.warn = console.error; // What it says besides.
  try {
    vm.runInThisContext(code, { filename: script });
  } catch (error) {
    if (error !== ready) throw error;
  }
  const group = await globalThis.importProfiles(path.basename(file), fs.readFileSync(file).toString('base64'));
  const profiles = group.profiles.map(profile => {
    const frames = [];
    profile.forEachFrame(f => frames.push([f.name, f.file ?? '', f.line ?? 0, f.getSelfWeight(), f.getTotalWeight()]));
    return { name: profile.getName(), unit: profile.getWeightUnit(), total: profile.getTotalWeight(), frames };
  });
  return { name: group.name, shown: group.indexToView, profiles };
}

(async () => process.stdout.write(JSON.stringify(await { pprof, speedscope }[reader]())))();
