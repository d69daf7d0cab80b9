export { migrateSearch } from "./migrate.ts";
export { type BuildProgress, type StoreOptions, storeCompany } from "./store-company.ts";
