"""Drives a custom search: four learning rates side by side, then the best one trains on with half its
rate, from its checkpoint.

    dtctl experiment create search.yaml .
    eval "$(dtctl local env)"                  # DT_TOKEN
    python3 search.py HTTP_ADDRESS EXPERIMENT  # the address is in `dtctl local status`

The standard library only: every call of the API is also JSON over HTTP (docs/http_api.md).
"""

import json
import os
import sys
import time
import urllib.request

RATES = [1e-4, 1e-3, 1e-2, 1e-1]


class Search:
    def __init__(self, address, experiment):
        self.address, self.experiment, self.heard, self.proposals = address, experiment, 0, 0

    def call(self, method, **request):
        request["experimentId"] = self.experiment
        asked = urllib.request.Request(
            "http://{}/api/v1/Searches/{}".format(self.address, method),
            data=json.dumps(request).encode(),
            headers={"Authorization": "Bearer " + os.environ["DT_TOKEN"],
                     "Content-Type": "application/json"})
        with urllib.request.urlopen(asked) as answer:
            return json.load(answer)

    def propose(self, **proposal):
        # The same id again, after a lost answer, has no second effect.
        self.proposals += 1
        return self.call("Propose", requestId="search-{}-{}".format(self.experiment, self.proposals),
                         **proposal)

    def create(self, hparams, **more):
        made = self.propose(create=dict(hparamsJson=json.dumps(hparams), **more))
        return made.get("trial", 0)

    def events(self):
        """What the search hears, as it comes, until the experiment is over."""
        while True:
            answer = self.call("ListSearchEvents", after=self.heard)
            for event in answer.get("events", []):
                self.heard = int(event["number"])
                yield json.loads(event["eventJson"])
            if answer["experimentState"] in ("COMPLETED", "CANCELED", "ERROR"):
                return
            time.sleep(0.2)


def main():
    search = Search(sys.argv[1], int(sys.argv[2]))
    rates = {search.create({"lr": rate}): rate for rate in RATES}
    losses, child = {}, None
    for event in search.events():
        trial = event.get("trial")
        if event["event"] == "validation":
            losses[trial] = event["metric"]
        if event["event"] != "exited":
            continue
        rates.pop(trial, None)
        if not rates and child is None:
            best = min(losses, key=losses.get)
            child = search.create({"lr": RATES[best] / 2}, **{"from": best})
        elif trial == child:
            search.propose(finish={})
    print("best loss {:.3f} of trial {}".format(min(losses.values()), min(losses, key=losses.get)))


if __name__ == "__main__":
    main()
