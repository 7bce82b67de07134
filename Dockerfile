# Stage 1: the environment, hash-pinned: that of `make run`, and the driver for a PostgreSQL server (12 MB), so that
# one image serves a file and a server.
FROM python:3.11-slim AS environment
WORKDIR /build
COPY requirements/server.txt requirements/server.txt
RUN python -m venv /environment \
 && /environment/bin/python -m pip --disable-pip-version-check --quiet --no-cache-dir install \
    --require-hashes --only-binary :all: -r requirements/server.txt

# Stage 2: the bot. It runs as a user of its own and writes to /data alone.
FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin storyguide \
 && install --directory --owner storyguide --mode 0700 /data
WORKDIR /app
COPY --from=environment /environment /environment
COPY LICENSE LICENSE
COPY rules rules
COPY bot bot
COPY cogs cogs
ENV PATH=/environment/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    STORYGUIDE_DATABASE=/data/storyguide.db
RUN python -m compileall -q rules bot cogs
# It needs 80 MB of memory once started and 512 MB at most with what it does aside, and up to 33 connections to Discord,
# all going out; with a file a volume with twice the database and 100 MB (docs/keeping.md).
USER 10001
VOLUME ["/data"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5m --timeout=30s --start-period=1m CMD ["python", "-m", "bot", "doctor", "--quick"]
# The exec form: SIGTERM reaches Python, which finishes what runs and exits. The other commands go behind it:
# `docker exec CONTAINER python -m bot backup /data/copy.db`, `docker run … restore /data/copy.db`.
ENTRYPOINT ["python", "-m", "bot"]
