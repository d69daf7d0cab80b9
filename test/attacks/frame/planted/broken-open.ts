import { type Attack, brokenByAny, brokenIf } from "../attack.ts";

export const attack: Attack = {
  id: "planted-2",
  title: "Works and says open",
  state: "open",
  attempt: () =>
    brokenByAny({
      first: async () => brokenIf(true, "seen | once"),
      second: async () => brokenIf(false, "unseen"),
    }),
};
