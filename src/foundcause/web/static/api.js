/* Requests to the server behind the page. */

/** A refusal in words that can be shown. */
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function explain(status, text) {
  let detail = "";
  try {
    detail = JSON.parse(text).detail;
  } catch {
    detail = "";
  }
  if (Array.isArray(detail)) detail = detail.map((entry) => `${entry.loc.slice(1).join(" ")}: ${entry.msg}`).join("; ");
  return new Problem(status, detail || `the server answered ${status}`);
}

/** Call the API; the parsed answer, or null when there is none. */
export async function call(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["content-type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Problem(0, "The server cannot be reached. Is `foundcause serve` still running?");
  }
  const text = await response.text();
  if (!response.ok) throw explain(response.status, text);
  return text ? JSON.parse(text) : null;
}

/** Send a file as the raw body; { promise, cancel }. onProgress gets the share that was sent. */
export function upload(file, onProgress) {
  const request = new XMLHttpRequest();
  const promise = new Promise((resolve, reject) => {
    request.open("POST", `/api/tables?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) onProgress(event.loaded / event.total); });
    request.addEventListener("load", () => {
      if (request.status === 202) resolve(JSON.parse(request.responseText));
      else reject(explain(request.status, request.responseText));
    });
    request.addEventListener("error", () => reject(new Problem(0, "The upload broke off. The file may be too large, or the server was stopped.")));
    request.addEventListener("abort", () => reject(new Problem(0, "")));
    request.send(file);
  });
  return { promise, cancel: () => request.abort() };
}

const OVER = new Set(["done", "refused", "failed", "cancelled"]);

/** Ask for `path` until the job in it (found by `jobOf`) is over; the last answer. */
export async function follow(path, jobOf, onAnswer) {
  let misses = 0;
  for (;;) {
    try {
      const answer = await call("GET", path);
      misses = 0;
      onAnswer(answer);
      if (OVER.has(jobOf(answer).state)) return answer;
    } catch (problem) {
      misses += 1;
      if (problem.status !== 0 || misses > 5) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const STAGES = {
  reading: "reading the table", loading: "reading the table and loading the network",
  statistics: "computing the statistics of all pairs", network: "asking the network", writing: "drawing and writing the exports",
};

/** A job's state in words. */
export function inSentence(job) {
  if (job.state === "waiting") return job.place === null ? "Starting …" : `Waiting in the queue: place ${job.place}.`;
  if (job.state !== "running") return "";
  const step = job.total ? `, step ${job.done} of ${job.total}` : "";
  const stage = STAGES[job.stage] || job.stage || "starting";
  return `${stage[0].toUpperCase()}${stage.slice(1)}${step} …`;
}

/** Show a job on a progress element: a share when known, else just movement. */
export function showProgress(bar, job) {
  bar.hidden = job === null;
  if (job && job.state === "running" && job.total) {
    bar.max = job.total;
    bar.value = job.done;
  } else {
    bar.removeAttribute("value");
  }
}
