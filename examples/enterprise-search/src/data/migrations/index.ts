import { documents } from "./001-documents.ts";
import { customAgents } from "./002-custom-agents.ts";
import { wordsAcl } from "./003-words-acl.ts";

/** All steps, in order. New steps are appended; existing ones never change. */
export const steps: readonly string[] = [documents, customAgents, wordsAcl];
