// What every page does: keys, copying, answers without a new page, coming back after an outage.
import { useKeys } from "./keys.js";
import { enableCopying } from "./copying.js";
import { enableLiveForm } from "./live.js";
import { recover } from "./recovery.js";
import { watchCheck } from "./progress.js";

enableCopying();
enableLiveForm();
useKeys();
if (document.querySelector("[data-recover]")) recover(() => location.reload());
watchCheck();
