import type { Question, StoredEvent } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { type Dialect, native } from "../../../src/index.ts";
import type { Version as AgVersion } from "../agents.ts";
import type { Version as AiVersion } from "../chat.ts";
import { agUiPage } from "./ag-ui-page.ts";
import { aiSdkPage } from "./ai-sdk-page.ts";
import { expectedInAgUi, expectedInAiSdk } from "./expected.ts";
import type { Asked } from "./made.ts";
import { nativePage, stateOfCalls } from "./native-page.ts";
import type { Page } from "./page.ts";
import type { PlainClient } from "./plain/client.ts";
import { plainPage } from "./plain/page.ts";
import type { LogServer } from "./server.ts";

/** A kind of client: how its page loads, and what it shows of a view's calls. */
export interface Kind {
  dialect: Dialect;
  /** A page that has just been loaded. */
  load(server: LogServer): Page | Promise<Page>;
  expected(view: ViewState, log: readonly StoredEvent[]): ReadonlyMap<string, string>;
  /** Whether its pages can ask for that, while these questions are open. */
  can(asked: Asked, pending: readonly Question[]): boolean;
  /** Whether its streams change earlier messages, and have the user's messages that other pages send. */
  hearsOthers: boolean;
  /** Whether its streams have the results of earlier calls that a message closes. */
  hearsClosings: boolean;
  /** Whether its pages follow the session, and show all of its events sooner or later. */
  follows: boolean;
  /** Whether a page whose stream has broken off in the middle shows all of it once it connects again. */
  comesBack: boolean;
  /** Whether its answers say which question they answer. */
  namesQuestions: boolean;
}

export const aiSdkKind = (dialect: Dialect, version: AiVersion): Kind => ({
  dialect,
  load: (server) => aiSdkPage(version, server, server.loaded().messages ?? []),
  expected: expectedInAiSdk,
  can: () => true,
  hearsOthers: false,
  hearsClosings: false,
  follows: false,
  comesBack: false,
  namesQuestions: true,
});

export const agUiKind = (dialect: Dialect, version: AgVersion): Kind => ({
  dialect,
  load: (server) => {
    const { messages = [], pendingInterrupts = [] } = server.loaded();
    return agUiPage(version, server, { messages, pendingInterrupts });
  },
  expected: expectedInAgUi,
  can: ({ answers }, pending) => answers === undefined || answers.length === pending.length,
  hearsOthers: true,
  hearsClosings: true,
  follows: false,
  comesBack: true,
  namesQuestions: true,
});

/** `createAgentClient()` sends one answer a request. */
export const nativeKind: Kind = {
  dialect: native(),
  load: nativePage,
  expected: stateOfCalls,
  can: ({ answers }) => answers === undefined || answers.length === 1,
  hearsOthers: true,
  hearsClosings: true,
  follows: true,
  comesBack: true,
  namesQuestions: true,
};

export const plainKind = (client: PlainClient): Kind => ({
  dialect: client.dialect,
  load: (server) => plainPage(client, server),
  expected: (view, log) => client.load(view, log).calls,
  can: ({ retry }) => retry === undefined || client.names.retry !== undefined,
  hearsOthers: false,
  hearsClosings: true,
  follows: false,
  comesBack: true,
  namesQuestions: false,
});
