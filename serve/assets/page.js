// What every page does: keys, copying, answers without a new page, coming back after an outage, reports.
import { useKeys } from "./keys.js";
import { enableCopying } from "./copying.js";
import { enableLiveForm } from "./live.js";
import { recover } from "./recovery.js";
import { watchCheck } from "./progress.js";
import { listReports } from "./recent.js";

enableCopying();
enableLiveForm();
useKeys();
if (document.querySelector("[data-recover]")) recover(() => location.reload());
watchCheck();
listReports();
