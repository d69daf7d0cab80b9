export { ask } from "./database/ask.ts";
export { arrayText, type ColumnTypes, columnsOf } from "./database/columns.ts";
export { type Migrations, migrate } from "./database/migrate.ts";
export { type ReceivedFiles, receivedFile, receivedFiles, wordsOnFiles } from "./files/received-file.ts";
export {
  chance,
  idFrom,
  normal,
  pick,
  poisson,
  type Random,
  randomFrom,
  sample,
  weighted,
  whole,
} from "./random/random.ts";
