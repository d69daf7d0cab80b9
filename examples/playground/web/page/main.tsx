import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/shell.css";
import "../styles/coming.css";
import "../styles/drawer.css";
import "../styles/thread.css";
import "../styles/welcome.css";
import "../styles/parts.css";
import "../styles/outcome.css";
import "../styles/prose.css";
import "../styles/composer.css";
import "../styles/tray.css";
import "../styles/files.css";
import "../styles/sessions.css";
import "../styles/log.css";
import "../styles/inspector.css";
import "../styles/replay.css";

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
