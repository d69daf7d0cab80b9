import { type Attack, Broken } from "../attack.ts";

export const attack: Attack = {
  id: "planted-1",
  title: "Works although it says held",
  state: "held",
  guard: { file: "test/soak/attacks.test.ts", title: "a held attack that works fails" },
  attempt: async () => {
    throw new Broken("4 of 4");
  },
};
