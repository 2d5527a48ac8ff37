# SPDX-License-Identifier: MIT
"""nc3farm: nc3compress or nc3convert on many files, by many processes on many
machines.

A plan is a directory of plain files, written once:

  plan.json   what is to be done, with which options, and what each task has
  passed      what is no classic file, for the plan after this one
  shards/N    the names of the files of task N, each ended by a NUL
  journal/N   what these note of each file (--journal)

A task is one of them on one shard.  Any process may run it, at any time and as
often as it likes.  What is done is never noted: it is seen in the journals and
on disk.
"""
