// The entry `@pawl/client/asp`: a client for servers with the dialect `asp()`, without a framework.

// The client

export { type AspClient, type AspClientOptions, createAspClient } from "./asp/asp-client.ts";
export type { AspCall, AspFailure, AspState } from "./asp/asp-state.ts";

// Events, for pages that read the stream themselves

export { type AspEvent, parseAspEvent } from "./asp/asp-event.ts";
export { type AspView, newAspView, reduceAsp } from "./asp/asp-view.ts";
