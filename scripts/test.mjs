import { Checks } from "./lib/checks.mjs";
import { exec, execTool, turbo } from "./lib/exec.mjs";
import { install, installRuntimes } from "./lib/install.mjs";
import { at, projectNode } from "./lib/project.mjs";
import { judgeSoakReport } from "./lib/soak-age.mjs";
import { types } from "./lib/types.mjs";
import { allTests } from "./lib/unit-tests.mjs";

const checks = new Checks();
const began = performance.now();
try {
  await checkEverything();
} catch (error) {
  checks.failed++;
  console.error(error);
} finally {
  console.log(`\n${judgeSoakReport().lines.join("\n")}`);
  console.log(`\nin ${((performance.now() - began) / 1000).toFixed(1)} s`);
  console.log(checks.summary());
  process.exitCode = checks.failed > 0 ? 1 : 0;
}

async function checkEverything() {
  const { ok, env } = await checks.run("install", install);
  if (!ok) return;
  const built = await checks.run("build", () => turbo(["build"], env));
  if (!built.ok) return;
  const script = (path, ...args) => exec(projectNode(), [at(path), ...args], { env });
  await checks.runAll({
    runtimes: () => installRuntimes(env),
    packed: () => script("test/packed/run.mjs", "--cached"),
    docs: () => script("scripts/docs.mjs", "--cached"),
    lint: () => execTool(["@biomejs/biome", "biome"], ["check", "."], { env }),
    comments: () => script("scripts/check-comments.mjs"),
    arrows: () => script("scripts/check-arrows.mjs"),
    doors: () => script("scripts/check-doors.mjs"),
    promises: () => script("scripts/check-promises.mjs"),
    names: () => script("scripts/check-own-names.mjs"),
    capabilities: () => script("scripts/check-capabilities.mjs"),
    sleeps: () => script("scripts/check-sleeps.mjs"),
    links: () => script("scripts/check-links.mjs"),
    hygiene: () => script("scripts/check-hygiene.mjs"),
    phrases: () => script("scripts/check-phrases.mjs"),
    manifests: () => script("scripts/check-manifests.mjs"),
    errors: () => script("scripts/check-errors.mjs"),
    events: () => script("scripts/events.mjs", "--check"),
    house: () => script("scripts/house.mjs", "--check"),
    types: () => types(env),
  });
  await checks.suite("tests", () => allTests(env));
}
