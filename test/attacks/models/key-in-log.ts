import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { KEY, overClaude, overOpenAI, runOnce, servedBy } from "../parts/served-model.ts";

const message = `invalid x-api-key: ${KEY}`;
const refused = servedBy(() =>
  Response.json({ type: "error", error: { type: "authentication_error", message } }, { status: 401 }),
);

export const attack: Attack = {
  id: "key-in-log",
  title: "A gateway that echoes the API key puts it into the log or into onError",
  state: "held",
  guard: {
    file: "test/no-secrets.test.ts",
    title: "nothing that %s sends for a secret comes back out of a failure",
  },
  attempt: () =>
    brokenByAny({
      claude: () => leaked(overClaude(refused)),
      openai: () => leaked(overOpenAI(refused)),
    }),
};

async function leaked(model: ReturnType<typeof overClaude>): Promise<string> {
  const { events, errors } = await runOnce(model);
  if (!events.some(({ type }) => type === "error")) throw new Error("The run did not fail.");
  const reported = errors.map((error) => {
    const { message: words, stack, cause } = error as Error;
    return [words, stack, String(cause), JSON.stringify(cause ?? null)];
  });
  const isThere = JSON.stringify([events, reported]).includes(KEY);
  return brokenIf(isThere, isThere ? "the key is there" : "the key is nowhere");
}
