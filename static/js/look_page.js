// The page "Language and appearance": previews a choice before it is saved.

import { listenForLooks } from "./look.js";

listenForLooks();
