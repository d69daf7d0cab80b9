import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";

export const attack: Attack = {
  id: "planted-8",
  title: "Takes memory without end",
  state: "open",
  limits: { memoryMb: 200 },
  attempt: async () => {
    const held: Buffer[] = [];
    for (;;) {
      held.push(Buffer.alloc(10_000_000, 1));
      await sleep(10);
    }
  },
};
