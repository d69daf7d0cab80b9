import * as restate from "@pawl/restate";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const { restateEngine } = restate as any;
const ingress = "http://localhost:8080";
const admin = "http://localhost:9070";

it("U6 what JavaScript may pass is refused", async () => {
  expect(
    await said(
      () => restateEngine(),
      () => restateEngine({}),
      () => restateEngine({ ingress: "localhost:8080" }),
      () => restateEngine({ ingress: "http://ada:secret@localhost:8080" }),
      () => restateEngine({ ingress, port: 70_000 }),
      () => restateEngine({ ingress, admin }),
      () => restateEngine({ ingress, admin, port: 0 }),
      () => restateEngine({ ingress, uri: "http://workers:9080" }),
      () => restateEngine({ ingress, identityKeys: ["publickeyv1_1"] }),
      () => restateEngine({ ingress, port: 0, identityKeys: [] }),
      () => restateEngine({ ingress, port: 0, identityKeys: ["publickeyv1_1", ""] }),
      () => restateEngine({ ingress, name: "my agents" }),
      () => restateEngine({ ingress, token: "secret" }),
      () => restateEngine({ ingress }).wake(""),
      () => restateEngine({ ingress }).wake("s1", { afterMs: "tomorrow" }),
      () => restateEngine({ ingress }).wake("s1", { transaction: {} }),
      () => restateEngine({ ingress }).cancel(1),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: restateEngine() takes an object of options with \`ingress\`; got undefined.",
      "config: restateEngine() needs \`ingress\`, an http or https URL without a user name.",
      "config: \`ingress\` of restateEngine() must be an http or https URL without a user name; got a string.",
      "config: \`ingress\` of restateEngine() must be an http or https URL without a user name; got a string.",
      "config: \`port\` of restateEngine() must be an integer from 0 to 65535; not 70000.",
      "config: \`admin\` of restateEngine() needs \`uri\` or \`port\`, to register the workers.",
      "config: restateEngine() with \`admin\` needs the same URL each time it starts: give \`port\` a number other than 0, or set \`uri\`. A call of Restate stays with the URL at which it began, so sessions at work would wait for a port that is gone.",
      "config: \`uri\` of restateEngine() needs \`admin\`, where it is to be registered.",
      "config: \`identityKeys\` of restateEngine() needs \`port\`, which it is for.",
      "config: \`identityKeys\` of restateEngine() must be a list of at least one key; got a list.",
      "config: \`identityKeys\` of restateEngine(): key 2 is empty. Give it the public key of your Restate environment, e.g. publickeyv1_…; is its environment variable set?",
      "config: \`name\` of restateEngine() must be a letter, then letters, digits or _; got a string.",
      "config: restateEngine() has no option "token". The options of restateEngine() are ingress, port, host, identityKeys, admin, uri, authToken, name, fetch, onError.",
      "invalid_input: Ids, types and keys must be strings of 1 to 1,000 bytes of UTF-8 without NUL, not "".",
      "invalid_input: \`afterMs\` of wake() must be a number of milliseconds.",
      "config: restateEngine() has no \`transaction\`, because Restate is not in your database. Wake the session once it is committed.",
      "invalid_input: Ids, types and keys must be strings of 1 to 1,000 bytes of UTF-8 without NUL, not number.",
    ]
  `);
});
