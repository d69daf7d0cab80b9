import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Attack, brokenIf } from "../attack.ts";

export const attack: Attack = {
  id: "planted-4",
  title: "Fails and says held",
  state: "held",
  guard: { file: "test/trips.test.ts", title: "no such title" },
  attempt: async ({ folder }) => {
    writeFileSync(join(folder, "a"), "a");
    return brokenIf(!existsSync(join(folder, "a")), folder);
  },
};
