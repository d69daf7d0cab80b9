import { type Attack, brokenByAny } from "../frame/attack.ts";
import { sendJson } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";
import { signInServer } from "../parts/sign-in-server.ts";

async function signIn(metadata: object): Promise<string> {
  const { mail, ada, ...user } = await signInServer(metadata, (response) => sendJson(response, 404, {}));
  const refused = await user.signIn().then(
    () => undefined,
    (error: Error) => error.message,
  );
  return mustHold(refused === undefined && (await mail.isSignedIn(ada)), refused ?? "not signed in");
}

export const attack: Attack = {
  id: "conformance-01",
  title: "Nobody can sign in to an MCP server whose authorization server announces `iss`",
  state: "held",
  guard: { file: "packages/mcp/test/sign-in-errors.test.ts", title: "F24 signs the user in" },
  attempt: () =>
    brokenByAny({
      "not announced": () => signIn({}),
      announced: () => signIn({ authorization_response_iss_parameter_supported: true }),
    }),
};
