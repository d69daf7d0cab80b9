// An app that waits for its database, which is down.
console.log("loading");
await new Promise((resolve) => setTimeout(resolve, 60_000));
