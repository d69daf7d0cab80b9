import { type Attack, NotTried } from "../attack.ts";

export const attack: Attack = {
  id: "planted-5",
  title: "Needs a thing that is not here",
  state: "open",
  attempt: async () => {
    throw new NotTried("no such thing");
  },
};
