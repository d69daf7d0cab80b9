import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exec } from "../../scripts/lib/exec.mjs";
import { at, readJson } from "../../scripts/lib/project.mjs";

/** Packs the packages in `folders` into a folder. Resolves to the tarballs, `{ name: path }`. */
export async function pack({ destination, folders, env, must }) {
  const filters = folders.map((folder) => `--filter=./${folder}`);
  must(await exec("pnpm", ["-r", ...filters, "pack", "--pack-destination", destination], { env }));
  const manifests = folders.map((folder) => readJson(at(folder, "package.json")));
  return Object.fromEntries(
    manifests.map(({ name, version }) => [name, tarballOf(destination, name, version)]),
  );
}

/**
 * Creates a program in `project` that uses every entry of every package, and installs the tarballs there.
 */
export async function makeConsumer({ project, folders, tarballs, env, must }) {
  const packages = folders.map((folder) => ({ folder, manifest: readJson(at(folder, "package.json")) }));
  const ours = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]));

  const dependencies = { ...ours, ...companions(packages) };
  writeJson(join(project, "package.json"), {
    private: true,
    type: "module",
    dependencies,
    overrides: overrides(ours),
  });
  writeConfigs(project);
  cpSync(at("test", "packed", "consumer"), project, { recursive: true });
  const entries = packages.flatMap(({ manifest }) => entriesOf(manifest));
  writeFileSync(join(project, "entries.ts"), importAll(entries));

  // pnpm takes a third of npm's processor time, because it has most files already. It installs them as npm does.
  if (process.env.PAWL_SOAK === "1") {
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    must(await exec("npm", ["install", ...flags], { cwd: project, env }));
  } else {
    writeJson(join(project, "pnpm-workspace.yaml"), {
      nodeLinker: "hoisted",
      strictPeerDependencies: true,
      overrides: ours,
    });
    must(await exec("pnpm", ["install", "--prefer-offline", "--ignore-scripts"], { cwd: project, env }));
  }
  return entries;
}

function tarballOf(destination, name, version) {
  const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  if (!readdirSync(destination).includes(file)) throw new Error(`pnpm packed no ${file}.`);
  return join(destination, file);
}

/** Makes npm take our packages from the tarballs, also as dependencies of each other. */
const overrides = (ours) => Object.fromEntries(Object.keys(ours).map((name) => [name, `$${name}`]));

/**
 * Returns the packages that users install themselves: zod, peer dependencies and types, in the versions
 * installed here.
 */
function companions(packages) {
  const wanted = packages.flatMap(({ folder, manifest }) =>
    [...Object.keys(manifest.peerDependencies ?? {}), ...typePackages(manifest)].map((name) => ({
      folder,
      name,
    })),
  );
  const versions = wanted.map(({ folder, name }) => [name, versionOf(folder, name)]);
  const own = ["@types/node", "zod"].map((name) => [name, versionOf(".", name)]);
  return Object.fromEntries([...own, ...versions]);
}

const typePackages = ({ devDependencies = {} }) =>
  Object.keys(devDependencies).filter((name) => name.startsWith("@types/"));

function versionOf(folder, name) {
  const path = at(folder, "node_modules", name, "package.json");
  return existsSync(path) ? readJson(path).version : "*";
}

/** Returns a package's entries: its exports except patterns, data files and package.json. */
function entriesOf({ name, exports }) {
  return Object.keys(exports)
    .filter((key) => !key.includes("*") && !key.endsWith(".json"))
    .map((key) => name + key.slice(1));
}

function importAll(entries) {
  const imports = entries.map((entry, index) => `import * as entry${index} from "${entry}";`);
  const members = entries.map((entry, index) => `  "${entry}": entry${index},`);
  return `${imports.join("\n")}\n\nexport const entries: Record<string, object> = {\n${members.join("\n")}\n};\n`;
}

/**
 * Writes one TypeScript configuration for each module resolution. One is as strict as possible. The other has
 * only `strict`, because declarations that are valid with `exactOptionalPropertyTypes` may be invalid without
 * it.
 */
function writeConfigs(project) {
  for (const [resolution, module] of Object.entries({ nodenext: "nodenext", bundler: "esnext" })) {
    const isStrictest = resolution === "nodenext";
    const compilerOptions = {
      target: "es2023",
      lib: ["es2024", "dom", "dom.iterable"],
      types: ["node"],
      module,
      moduleResolution: resolution,
      strict: true,
      noEmit: true,
      // A type that a declaration cannot name is an error, also without output.
      declaration: true,
      allowImportingTsExtensions: true,
      exactOptionalPropertyTypes: isStrictest,
      noUncheckedIndexedAccess: isStrictest,
      erasableSyntaxOnly: true,
      skipLibCheck: false,
      skipDefaultLibCheck: true,
    };
    writeJson(join(project, `tsconfig.${resolution}.json`), { compilerOptions, include: ["*.ts"] });
  }
}

const writeJson = (path, value) => writeFileSync(path, JSON.stringify(value, null, 2));
