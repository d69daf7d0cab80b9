import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { Attack } from "../attack.ts";

export const attack: Attack = {
  id: "planted-7",
  title: "Stops its process, and leaves a program behind",
  state: "open",
  limits: { ms: 1_500 },
  attempt: async () => {
    const program = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
    writeFileSync(`${process.env.PLANTED_PID}`, String(program.pid));
    while (true);
  },
};
