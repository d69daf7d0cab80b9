import type { Attack } from "../attack.ts";

export const attack: Attack = {
  id: "planted-6",
  title: "Has a mistake of its own",
  state: "open",
  attempt: async () => {
    throw new TypeError("a mistake");
  },
};
