"""Keeps a conversation with `cambium rpc`, and finds it again.

    python3 examples/python/conversation.py DIRECTORY [COMMAND...]

DIRECTORY is an absolute one, for the sessions. COMMAND is the server, `cambium rpc` if
it is not said.
"""

import sys

from cambium import Cambium, Fault


def user(text):
    return {"role": "user", "content": text}


def answer(text):
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "provider": "local", "model": "small"}


def texts(context):
    """What was said, a line each."""
    for message in context["messages"]:
        content = message["content"]
        yield content if isinstance(content, str) else content[0]["text"]


def main(directory, command):
    with Cambium(command or ("cambium", "rpc")) as cambium:
        about = cambium.initialize(ownEvents=False)
        print("speaks", about["protocolVersion"])

        # Begin, say something, and take another way from the first question.
        session = cambium.create(cwd="/work/garden", sessionDir=directory, firstWrite="user")
        question = session.appendMessage(message=user("What grows in the shade?"))
        session.appendMessage(message=answer("Ferns."))
        first = session.buildSessionContext(since="")
        session.appendMessage(message=user("And in the sun?"))
        more = session.buildSessionContext(since=first["mark"])
        print("new since the mark:", *texts(more), f"(after {more['from']})")
        session.branch(id=question)
        session.appendMessage(message=answer("Hostas."))
        session.setSessionName(name="Shade")
        print("on this branch:", *texts(session.buildSessionContext()))
        for node in session.getTree(flat=True):
            print("  " * node["depth"] + node["entry"]["type"])
        path = session.getSessionFile()
        session.close()

        # What went wrong has a name.
        try:
            session.getEntries()
        except Fault as fault:
            print("closed:", fault.name)

    # Another server, another day: found by its name, and gone on with.
    with Cambium(command or ("cambium", "rpc")) as cambium:
        found = cambium.resolve(session="Shade", sessionDir=directory)
        print("found:", found["path"] == path, found["messageCount"], "messages")
        session = cambium.open(path=found["path"])
        stored = session.appendMessage(message=user("Thank you."), stored=True)
        print("goes on from", session.getEntry(id=stored["parentId"])["type"])
        print("then:", *texts(session.buildSessionContext()))
        session.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
