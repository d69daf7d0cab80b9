import "./styles/base.css";
import "./styles/plan.css";
import "./styles/clarify.css";
import "./styles/sources.css";
import "./styles/view.css";
import "./styles/details.css";
import "./styles/person.css";
import "./styles/agents.css";
import "./styles/agent-form.css";

export { type SearchServer, searchServer } from "./base/server.ts";
export { type SearchFace, searchFace } from "./face/search-face.tsx";
