// Tries attacks and prints their rows: npm run try test/attacks/frame/main.ts <file of an attack> …
import { resolve } from "node:path";
import { postgresDesk } from "../../support/shared-postgres.ts";
import { judge } from "./judge.ts";
import { list, tryAttack } from "./try-attack.ts";

const desk = await postgresDesk();
try {
  for (const attack of await list(process.argv.slice(2).map((file) => resolve(file)))) {
    const begun = performance.now();
    const { row, problem } = judge(attack, await tryAttack(attack.file, attack.limits, desk.address));
    console.log(row, `${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    if (problem !== undefined) {
      console.error(problem);
      process.exitCode = 1;
    }
  }
} finally {
  await desk.close();
}
