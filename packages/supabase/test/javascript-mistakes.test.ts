import * as supabase from "@pawl/supabase";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const js = supabase as any;
const client = {
  rpc: async () => ({}),
  storage: { from: () => ({}) },
  auth: { getClaims: async () => ({}) },
};
const url = "https://abc.supabase.co";

it("U6 what JavaScript may pass is refused", async () => {
  expect(
    await said(
      () => js.supabaseStore(),
      () => js.supabaseStore(url, "secret"),
      () => js.supabaseBlobs({ client }),
      () => js.supabaseFiles(client),
      () => js.supabaseFiles(client, "files"),
      () => js.supabaseFiles({}, { bucket: "files" }),
      () => js.supabaseAuth(),
      () => js.supabaseAuth({ client }),
      () => js.supabaseAuth({ url }),
      () => js.supabaseAuth({ client, supabaseUrl: url }),
      () => js.supabaseAuth({ client, url, algorithms: "HS256" }),
      () => js.sendMessage(client, { sessionId: "s", input: "Hi", appendId: "a" }),
      () => js.sendMessage(client, "Hi"),
      () => js.answer(client, { sessionId: "s", seq: 3, value: true, appendId: "a" }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: supabaseStore() needs \`client\`, a client of supabase-js, made by createClient().",
      "config: \`client\` of supabaseStore() must be a client of supabase-js, made by createClient(); got a string.",
      "config: \`client\` of supabaseBlobs() must be a client of supabase-js, made by createClient(); got an object.",
      "config: supabaseFiles() takes an object of options with \`bucket\`; got undefined.",
      "config: supabaseFiles() takes an object of options with \`bucket\`; got a string.",
      "config: \`client\` of supabaseFiles() must be a client of supabase-js, made by createClient(); got an object.",
      "config: supabaseAuth() takes an object of options with \`client\` and \`url\`; got undefined.",
      "config: supabaseAuth() needs \`url\`, a string.",
      "config: supabaseAuth() needs \`client\`.",
      "config: supabaseAuth() has no option "supabaseUrl". Use \`url\`. supabaseAuth() needs \`url\`, a string.",
      "config: \`algorithms\` must be a list of ES256, RS256, HS256, at least one; got "HS256".",
      "invalid_input: sendMessage() has no option "input". Use \`message\`. sendMessage() needs \`message\`, a string.",
      "invalid_input: sendMessage() takes an object of options with \`sessionId\`, \`message\` and \`appendId\`; got a string.",
      "invalid_input: answer() has no option "seq". Use \`question\`. answer() needs \`question\`, a number.",
    ]
  `);
});
