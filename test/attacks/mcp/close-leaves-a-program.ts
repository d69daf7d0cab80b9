import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mcpServer } from "@pawl/mcp";
import { isAlive } from "../../../packages/mcp/test/support/servers.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";

/** A program that says nothing and ignores SIGTERM. It notes its process id. */
const program = (pids: string) => `
  require("node:fs").appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n");
  process.on("SIGTERM", () => {});
  process.stdin.resume();
  setInterval(() => {}, 1_000);`;

export const attack: Attack = {
  id: "attacks-23",
  title: "close() resolves while an MCP program that hangs is still running",
  state: "held",
  guard: {
    file: "packages/mcp/test/stdio.test.ts",
    title: "B8 T14 that never answered and ignores SIGTERM is gone once `close()` has resolved",
  },
  async attempt({ folder }) {
    const pids = join(folder, "pids");
    const file = join(folder, "program.cjs");
    writeFileSync(file, program(pids));
    const server = mcpServer({
      name: "p",
      command: process.execPath,
      args: [file],
      protocol: "legacy",
      connectTimeoutMs: 1_000,
    });
    await server.listTools({ userId: "ada" }).catch(() => undefined);
    await server.close();
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    const left = started.filter(isAlive);
    for (const pid of left) process.kill(pid, "SIGKILL");
    return brokenIf(left.length > 0, `${left.length} of ${started.length} programs are left`);
  },
};
