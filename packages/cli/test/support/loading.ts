import { pause } from "../../../../test/support/pause.ts";

// An app that waits for its database, which is down.
console.log("loading");
await pause(60_000, "the app never gets further");
