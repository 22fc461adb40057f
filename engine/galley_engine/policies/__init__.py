"""How the bots play each game; `galley_engine.bots` hands them out."""
