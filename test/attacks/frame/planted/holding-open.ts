import { type Attack, brokenIf } from "../attack.ts";

export const attack: Attack = {
  id: "planted-3",
  title: "Fails although it says open",
  state: "open",
  attempt: async () => brokenIf(false, "0 of 4"),
};
