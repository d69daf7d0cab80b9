import { describe } from "vitest";
import { databaseOn, SERVERS } from "../../../test/support/servers.ts";
import { toolsSuite } from "./support/tools-suite.ts";

describe.each(Object.entries(SERVERS))("X3 the coach's tools on a server by %s", (_name, server) => {
  toolsSuite(databaseOn(server));
});
