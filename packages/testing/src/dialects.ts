// The entry `@pawl/testing/dialects`: what real servers send, as data, and the contract of model clients.

// Recorded dialects

export {
  type Dialect,
  type DialectAbsence,
  type DialectCase,
  type DialectKind,
  type DialectOutcome,
  dialectKinds,
} from "./dialects/base/dialect.ts";
export { dialects } from "./dialects/corpus.ts";

// A contract suite

export {
  type ModelUnderTest,
  modelClientContract,
} from "./contract/models/model-client-contract.ts";
