import { judgeSoakReport } from "./lib/soak-age.mjs";

// Says which sections of docs/soak-report.md are older than the code that they speak for. With `--strict`, as
// before a release, such a section fails the check, and so does a history that is not there.
const { ok, lines } = judgeSoakReport();
console.log(lines.join("\n"));
if (process.argv.includes("--strict") && !ok) process.exitCode = 1;
