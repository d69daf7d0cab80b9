import type { Attack } from "../frame/attack.ts";
import { sendJson } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";
import { signInServer } from "../parts/sign-in-server.ts";

export const attack: Attack = {
  id: "conformance-02",
  title:
    "The scope that an MCP server's 401 or 403 names is never asked for, so that signing in does not help",
  state: "held",
  guard: {
    file: "packages/mcp/test/sign-in-scopes.test.ts",
    title: "F24 with 401 is asked for when the user signs in",
  },
  attempt: async () => {
    const { mail, ada, signIn } = await signInServer({}, (response, scope, base) => {
      if (scope?.includes("mail.read")) return sendJson(response, 500, {});
      const challenge = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="mail.read"`;
      if (scope === undefined) return sendJson(response, 401, {}, { "www-authenticate": challenge });
      const more = `${challenge}, error="insufficient_scope"`;
      return sendJson(response, 403, {}, { "www-authenticate": more });
    });
    const asked: (string | null)[] = [];
    for (const _ of ["after the 401", "after the 403"]) {
      await mail.listTools(ada).catch(() => undefined);
      asked.push(await signIn());
    }
    return mustHold(asked[0]?.includes("mail.read") === true, `asked for ${asked.join(", then for ")}`);
  },
};
