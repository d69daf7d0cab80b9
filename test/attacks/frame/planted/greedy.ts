import { pause } from "../../../support/pause.ts";
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
      await pause(10, "so that the memory grows slowly enough to be seen");
    }
  },
};
