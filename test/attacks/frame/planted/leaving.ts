import type { Attack } from "../attack.ts";

export const attack: Attack = {
  id: "planted-9",
  title: "Ends its process before it answers",
  state: "open",
  attempt: async () => {
    console.error("its last words");
    process.exit(3);
  },
};
