export { type EmbeddedCompany, type EmbeddedCompanyOptions, embeddedCompany } from "./embedded-company.ts";
