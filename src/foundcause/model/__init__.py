"""The network: config, modules, ablations and checkpoints. Import the module you need; this one stays light."""
