// The page of language and look: a choice is shown before it is saved.

import { listenForLooks } from "./look.js";

listenForLooks();
