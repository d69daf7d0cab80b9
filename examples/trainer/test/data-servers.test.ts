import { describe } from "vitest";
import { databaseOn, SERVERS } from "../../../test/support/servers.ts";
import { dataSuite } from "./support/data-suite.ts";

describe.each(Object.entries(SERVERS))("X2 the trainer's data on a server by %s", (_name, server) => {
  dataSuite(databaseOn(server));
});
