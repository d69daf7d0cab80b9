import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { mustHold } from "../parts/must-hold.ts";

const fail = () => {
  throw new Error("a mistake");
};

/** Answers one message, and expects that `runtime({ onError })` is told of the mistake. */
async function isReported(options: object): Promise<string> {
  const { say, errors } = conversation(scriptedModel([{ text: "Hello." }]), options);
  const { stop } = await say("Hi");
  return mustHold(stop.type === "error" || errors.length > 0, `${stop.type}, and nobody was told`);
}

export const attack: Attack = {
  id: "ports-04",
  title: "A hook or a source of user data that throws is reported to nobody, and its run goes on",
  state: "open",
  attempt: () =>
    brokenByAny({
      afterModel: () => isReported({ hooks: [{ name: "guard", afterModel: fail }] }),
      userData: () => isReported({ userData: { read: fail } }),
    }),
};
